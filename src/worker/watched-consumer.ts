import { Worker } from 'bullmq';
import { endWhileAway } from '../redis/end-while-away.js';

/** A consumer that tells when it last asked for a job: being connected and running says nothing of that. */
export class WatchedConsumer extends Worker {
  private askedAt = Date.now();

  /** When it last asked for a job, in milliseconds since the Unix epoch; undefined while its hands are full. */
  get lastProgressAt(): number | undefined {
    return this.lockManager.getActiveJobCount() >= this.concurrency ? undefined : this.askedAt;
  }

  /** Whatever the queue answers comes by here, also that it has nothing. */
  protected override nextJobFromJobData(...answer: Parameters<Worker['nextJobFromJobData']>) {
    this.askedAt = Date.now();
    return super.nextJobFromJobData(...answer);
  }

  /** Ends within the time of its jobs, also while Redis is away. */
  override async close(force = false): Promise<void> {
    const clients = await Promise.all([this.backend.client, this.backend.blockingClient]);
    for (const client of clients) if (client) endWhileAway(client);
    await super.close(force);
  }
}
