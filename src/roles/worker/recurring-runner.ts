import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundLoop } from '../../platform/clock/background-loop.js';
import { sleep } from '../../platform/clock/sleep.js';
import { withDeadline } from '../../platform/clock/with-deadline.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import type { RecurringJob } from '../../platform/queue/jobs.js';
import { RecurringRuns } from '../../platform/queue/recurring-runs.js';
import { WorkListener } from '../../platform/queue/work-notifications.js';
import { RecurringHandlers } from './recurring-handlers.js';

/** Longest time between two reads of the runs, because an emptied Redis has lost them. */
const LONGEST_READ_INTERVAL_MS = 5_000;

/**
 * One after the other, short jobs share a connection, whose caches are warm. A longer one does not delay the others.
 */
const SHORT_MS = 50;

/** How long a stop waits for running jobs. Another run continues those that take longer, as it does after a crash. */
const STOP_WAIT_MS = 2_000;

/** Runs the recurring jobs. */
@Injectable()
export class RecurringRunner implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop = new BackgroundLoop(() => this.round());
  private readonly running = new Map<RecurringJob, Promise<void>>();
  private readonly requestedAgain = new Set<RecurringJob>();
  private readonly stopping = new AbortController();
  private failed = false;

  constructor(
    private readonly work: RecurringHandlers,
    private readonly runs: RecurringRuns,
    private readonly listener: WorkListener,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** When the loop last read the runs, in milliseconds since the Unix epoch. */
  get lastProgressAt(): number {
    return this.loop.lastProgressAt;
  }

  onApplicationBootstrap(): void {
    this.listener.on('recurring', () => this.loop.wake());
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.listener.stop();
    this.stopping.abort();
    await this.loop.stop();
    this.requestedAgain.clear();
    await withDeadline(STOP_WAIT_MS, Promise.all(this.running.values())).catch(() => undefined);
  }

  private async round(): Promise<number> {
    try {
      const { due, nextInMs } = await this.runs.takeDue(new Set(this.running.keys()));
      for (const job of due) if (!this.stopping.signal.aborted) await this.start(job);
      this.failed = false;
      return Math.min(nextInMs, LONGEST_READ_INTERVAL_MS);
    } catch (error) {
      if (!this.failed) this.logger.warn({ err: error }, 'Could not read the schedule of recurring jobs; retrying');
      this.failed = true;
      return LONGEST_READ_INTERVAL_MS;
    }
  }

  /** A job that is due during its own run runs once more. Resolves when it has ended, or takes longer than most. */
  private async start(job: RecurringJob): Promise<void> {
    this.requestedAgain.add(job);
    if (this.running.has(job)) return;
    const run = this.run(job);
    this.running.set(job, run);
    const ended = new AbortController();
    await Promise.race([run, sleep(SHORT_MS, ended.signal)]);
    ended.abort();
  }

  private async run(job: RecurringJob): Promise<void> {
    const { signal } = this.stopping;
    try {
      while (this.requestedAgain.delete(job)) await this.work.handlers[job](signal);
    } catch (error) {
      if (signal.aborted) this.logger.info({ job, err: error }, 'The stop interrupted a recurring job');
      else this.logger.error({ job, err: error }, 'A recurring job failed');
    }
    this.running.delete(job);
    // An interrupted run keeps its lease, so that another process soon repeats it.
    if (!signal.aborted) await this.runs.end(job).catch(() => undefined);
  }
}
