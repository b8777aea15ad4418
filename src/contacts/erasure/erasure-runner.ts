import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundLoop } from '../../platform/clock/background-loop.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { WorkListener } from '../../platform/queue/work-notifications.js';
import { ErasureSteps } from './erasure-steps.js';

/** Delay while no erasure is due and no notification can arrive. */
const UNNOTIFIED_MS = 1_000;
const ERROR_BACKOFF_MS = 5_000;

/** Runs the steps of erasures that their request did not finish, in every worker. */
@Injectable()
export class ErasureRunner implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop = new BackgroundLoop(() => this.step());

  constructor(
    private readonly steps: ErasureSteps,
    private readonly listener: WorkListener,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.listener.on('erasures', () => this.loop.wake());
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    this.listener.stop();
    return this.loop.stop();
  }

  private async step(): Promise<number> {
    try {
      return Math.min(await this.steps.next(), this.listener.idleMs(UNNOTIFIED_MS));
    } catch (error) {
      this.logger.warn({ err: error }, 'Could not continue the erasure of a contact; retrying');
      return ERROR_BACKOFF_MS;
    }
  }
}
