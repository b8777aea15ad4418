import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SingleSends } from '../../emails/delivery/single-sends.js';
import { BackgroundLoop } from '../../platform/clock/background-loop.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { WorkListener } from '../../platform/queue/work-notifications.js';
import { BroadcastSteps } from './broadcast-steps.js';

/** Delay while no broadcast is due and no notification can arrive. */
const UNNOTIFIED_MS = 250;
const ERROR_BACKOFF_MS = 1_000;

/** Runs the steps of broadcasts, in every worker. */
@Injectable()
export class BroadcastRunner implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop = new BackgroundLoop(() => this.step());

  /** Called after a step with emails for the feeder. */
  onEmails: () => void = () => undefined;

  constructor(
    private readonly steps: BroadcastSteps,
    private readonly listener: WorkListener,
    private readonly sends: SingleSends,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** When the loop last completed a step or found none, in milliseconds since the Unix epoch. */
  get lastProgressAt(): number {
    return this.loop.lastProgressAt;
  }

  onApplicationBootstrap(): void {
    this.listener.on('broadcasts', () => this.loop.wake());
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    this.listener.stop();
    return this.loop.stop();
  }

  private async step(): Promise<number> {
    try {
      await this.sends.giveWay();
      const step = await this.steps.next();
      if (step.hasDueEmails) this.onEmails();
      return Math.min(step.nextInMs, this.listener.idleMs(UNNOTIFIED_MS));
    } catch (error) {
      this.logger.warn({ err: error }, 'Could not continue a broadcast; retrying');
      return ERROR_BACKOFF_MS;
    }
  }
}
