import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { sleep } from '../../platform/clock/sleep.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { BroadcastSteps } from './broadcast-steps.js';

/** Delay while no broadcast is due: a broadcast that is sent, paused or resumed waits no longer than this. */
const IDLE_MS = 250;
const ERROR_BACKOFF_MS = 1_000;

/** Runs the steps of broadcasts, in every worker. */
@Injectable()
export class BroadcastRunner implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private completedAt = Date.now();

  constructor(
    private readonly steps: BroadcastSteps,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** When the loop last completed a step or found none, in milliseconds since the Unix epoch. */
  get lastProgressAt(): number {
    return this.completedAt;
  }

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const waitMs = await this.steps
        .next()
        .then((stepped) => (stepped ? 0 : IDLE_MS))
        .catch((error: unknown) => {
          this.logger.warn({ err: error }, 'Could not go on with a broadcast; retrying');
          return ERROR_BACKOFF_MS;
        });
      this.completedAt = Date.now();
      await sleep(waitMs, signal);
    }
  }
}
