import { Worker, type Job, type Processor, type WorkerOptions } from 'bullmq';
import type { RedisConnection } from '../../../platform/redis/connect.js';
import { earliestTime } from '../../../platform/redis/earliest-time.js';
import { CloseDuringOutage } from '../../../platform/redis/ioredis-overrides/close-during-outage.js';

/** A consumer that records when it last fetched a job: a connected, running worker may still fetch none. */
export class MonitoredWorker extends Worker {
  private fetchedAt = Date.now();
  private readonly connections: CloseDuringOutage;

  constructor(name: string, processor: string | URL | null | Processor, options: WorkerOptions) {
    const connections = new CloseDuringOutage();
    super(name, processor, { ...options, connection: connections.apply(options.connection) });
    this.connections = connections;
  }

  /** When it last fetched a job, in milliseconds since the Unix epoch; undefined while all its slots are busy. */
  get lastProgressAt(): number | undefined {
    return this.lockManager.getActiveJobCount() >= this.concurrency ? undefined : this.fetchedAt;
  }

  /**
   * Delays a running job by the Redis clock. `Job.moveToDelayed` uses this host's clock: if that is ahead, no other
   * worker would run the job in time.
   */
  async putOff({ id }: Job, milliseconds: number, token: string | undefined): Promise<void> {
    const now = await earliestTime((await this.backend.client) as unknown as RedisConnection);
    await this.backend.moveToDelayed(id!, now, milliseconds, token, { skipAttempt: true });
  }

  /** BullMQ calls this for every response of the queue, including an empty one. */
  protected override nextJobFromJobData(...response: Parameters<Worker['nextJobFromJobData']>) {
    this.fetchedAt = Date.now();
    return super.nextJobFromJobData(...response);
  }

  /** Ends as soon as its jobs end, even while Redis is unavailable. */
  override async close(force = false): Promise<void> {
    await this.connections.end([this.backend.client, this.backend.blockingClient]);
    await super.close(force);
  }
}

/** Nest types every consumer as BullMQ's own. */
export function monitored(worker: Worker): MonitoredWorker {
  if (worker instanceof MonitoredWorker) return worker;
  throw new Error('Every consumer must be a MonitoredWorker');
}
