import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundLoop } from '../../platform/clock/background-loop.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import type { DispatchedEmail } from './dispatched-email.js';
import { DispatchWindow } from './dispatch-window.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { DispatchEpoch } from '../../platform/queue/dispatch-epoch.js';
import { WorkListener } from '../../platform/queue/work-notifications.js';
import { SendJobs } from './send-jobs.js';

/** Delay while due emails wait, so that the window is refilled before it runs empty. */
const BUSY_MS = 100;
/** Delay after a round that another worker took or that found emails; a notification makes no round sooner. */
const IDLE_MS = 500;
const ERROR_BACKOFF_MS = 1_000;

/**
 * Moves emails from Postgres into the queue, up to the window size. Runs in every worker; an advisory lock ensures
 * that only one worker feeds at a time.
 */
@Injectable()
export class DispatchFeeder implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop = new BackgroundLoop(() => this.round());

  constructor(
    private readonly window: DispatchWindow,
    private readonly epoch: DispatchEpoch,
    private readonly jobs: SendJobs,
    private readonly listener: WorkListener,
    @Inject(SETTINGS) private readonly settings: RunSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** When the loop last completed a round, in milliseconds since the Unix epoch, whether or not it fed anything. */
  get lastProgressAt(): number {
    return this.loop.lastProgressAt;
  }

  onApplicationBootstrap(): void {
    this.listener.on('emails', () => this.loop.wakeAfter(IDLE_MS));
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    this.listener.stop();
    return this.loop.stop();
  }

  /** Called when emails were created, so that they need not wait for the next round. */
  wake(): void {
    this.loop.wake();
  }

  private round(): Promise<number> {
    return this.feed().catch((error: unknown) => {
      this.logger.debug({ err: error }, 'Could not dispatch emails; retrying');
      return ERROR_BACKOFF_MS;
    });
  }

  /** Feeds once. Resolves with the milliseconds until the next one. */
  private async feed(): Promise<number> {
    const epoch = await this.epoch.read();
    if (epoch === undefined) return this.refill(await this.window.epoch());
    const { DISPATCH_WINDOW, GUARD_SLOW_PER_MINUTE } = this.settings;
    const {
      acquired,
      known,
      restarted,
      fed,
      nextDueInMs,
      epoch: expected,
    } = await this.window.feed(DISPATCH_WINDOW, epoch, Math.ceil(60_000 / GUARD_SLOW_PER_MINUTE));
    if (!known) return this.refill(expected);
    await this.queue(fed);
    if (!acquired) return IDLE_MS;
    if (restarted) return 0;
    const idleMs = fed.length > 0 ? IDLE_MS : this.listener.idleMs(IDLE_MS);
    return nextDueInMs === undefined ? idleMs : Math.min(idleMs, Math.max(BUSY_MS, nextDueInMs));
  }

  /**
   * If queueing fails, the jobs may or may not exist: the emails are returned at once instead of waiting for
   * recovery.
   */
  private async queue(fed: readonly DispatchedEmail[]): Promise<void> {
    try {
      await this.jobs.add(fed);
    } catch (error) {
      await this.window.giveBack(fed);
      throw error;
    }
  }

  private async refill(lost: string): Promise<number> {
    const newEpoch = await this.window.beginEpoch(lost);
    if (newEpoch === undefined) return BUSY_MS;
    await this.epoch.write(newEpoch.epoch);
    // A new Redis has lost nothing.
    if (newEpoch.emails > 0) this.logger.warn({ emails: newEpoch.emails }, 'Redis lost its jobs; creating them again');
    return 0;
  }
}
