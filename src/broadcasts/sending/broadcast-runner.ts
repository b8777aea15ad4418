import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundLoop } from '../../platform/clock/background-loop.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { BroadcastSteps } from './broadcast-steps.js';

/** Delay while no broadcast is due: a broadcast that is sent, paused or resumed waits no longer than this. */
const IDLE_MS = 250;
const ERROR_BACKOFF_MS = 1_000;

/** Runs the steps of broadcasts, in every worker. */
@Injectable()
export class BroadcastRunner implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop = new BackgroundLoop(() => this.step());

  /** Called after a step that created emails. */
  onEmails: () => void = () => undefined;

  constructor(
    private readonly steps: BroadcastSteps,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** When the loop last completed a step or found none, in milliseconds since the Unix epoch. */
  get lastProgressAt(): number {
    return this.loop.lastProgressAt;
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }

  private async step(): Promise<number> {
    try {
      const step = await this.steps.next();
      if (step.madeEmails) this.onEmails();
      return step.wasDue ? 0 : IDLE_MS;
    } catch (error) {
      this.logger.warn({ err: error }, 'Could not continue a broadcast; retrying');
      return ERROR_BACKOFF_MS;
    }
  }
}
