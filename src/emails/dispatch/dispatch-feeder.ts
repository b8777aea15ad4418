import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { sleep } from '../../platform/clock/sleep.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import type { DispatchedEmail } from './dispatched-email.js';
import { DispatchWindow } from './dispatch-window.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { JobProducer, sendEmailJob } from '../../platform/queue/job-producer.js';
import { DispatchEpoch } from '../../platform/queue/dispatch-epoch.js';

/** While emails are due and wait: the window is topped up before it runs dry. */
const BUSY_MS = 100;
/** While none is due: new ones that find no place wait no longer than this. */
const IDLE_MS = 500;
const ERROR_BACKOFF_MS = 1_000;

/**
 * Brings emails from Postgres into the queue, as many as the window holds. Runs in every worker; of those that come
 * at the same time one feeds and the others look again later.
 */
@Injectable()
export class DispatchFeeder implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private turnedAt = Date.now();

  constructor(
    private readonly window: DispatchWindow,
    private readonly epoch: DispatchEpoch,
    private readonly producer: JobProducer,
    @Inject(SETTINGS) private readonly settings: RunSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** When the loop last turned, in milliseconds since the Unix epoch, whether there was anything to feed or not. */
  get lastProgressAt(): number {
    return this.turnedAt;
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
      const waitMs = await this.feed().catch((error: unknown) => {
        this.logger.debug({ err: error }, 'Could not bring emails into the queue; trying again');
        return ERROR_BACKOFF_MS;
      });
      this.turnedAt = Date.now();
      await sleep(waitMs, signal);
    }
  }

  /** One round. Resolves with the milliseconds until the next is worth while. */
  private async feed(): Promise<number> {
    const epoch = await this.epoch.read();
    if (epoch === undefined) return this.refill(await this.window.epoch());
    const {
      ours,
      known,
      beginsAnew,
      fed,
      nextDueInMs,
      epoch: expected,
    } = await this.window.feed(this.settings.DISPATCH_WINDOW, epoch);
    if (!known) return this.refill(expected);
    await this.queue(fed);
    if (!ours) return IDLE_MS;
    if (beginsAnew) return 0;
    return nextDueInMs === undefined ? IDLE_MS : Math.min(IDLE_MS, Math.max(BUSY_MS, nextDueInMs));
  }

  /** Places of which nobody knows whether they have a job go back, rather than waiting until recovery finds them. */
  private async queue(fed: readonly DispatchedEmail[]): Promise<void> {
    try {
      await this.producer.addAll('send-email', fed.map(sendEmailJob));
    } catch (error) {
      await this.window.giveBack(fed);
      throw error;
    }
  }

  private async refill(lost: string): Promise<number> {
    const begun = await this.window.beginEpoch(lost);
    if (begun === undefined) return BUSY_MS;
    await this.epoch.write(begun.epoch);
    // A Redis that is new has lost nothing.
    if (begun.emails > 0) this.logger.warn({ emails: begun.emails }, 'Redis lost its jobs; they are made again');
    return 0;
  }
}
