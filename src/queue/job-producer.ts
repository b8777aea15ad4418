import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Queue } from 'bullmq';
import { REDIS, type RedisConnection } from '../redis/connect.js';
import { QUEUE_PREFIX, QUEUES, queueOfJob, type JobName, type Jobs } from './jobs.js';

export interface NewJob<Name extends JobName> {
  readonly payload: Jobs[Name];
  /** A job whose id is already waiting, delayed or running is not added again. No colon (BullMQ). */
  readonly jobId: string;
  readonly delayMs?: number;
}

/**
 * Postgres decides what is finished and when to try again: BullMQ keeps no finished job, so that
 * a job id can be used again, and never retries by itself.
 */
const OPTIONS = { removeOnComplete: true, removeOnFail: true, attempts: 1 } as const;

/** Puts jobs into their queues. Fails within a second when Redis is away or hung. */
@Injectable()
export class JobProducer implements OnApplicationShutdown {
  private readonly queues: ReadonlyMap<string, Queue>;

  /** On the connection for short commands: consumers, which block for long, have one of their own. */
  constructor(@Inject(REDIS) connection: RedisConnection) {
    const options = { connection, prefix: QUEUE_PREFIX, skipWaitingForReady: true };
    this.queues = new Map([QUEUES.emails, QUEUES.webhooks].map((name) => [name, new Queue(name, options)]));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.queues.values()].map((queue) => queue.close()));
  }

  async add<Name extends JobName>(name: Name, job: NewJob<Name>): Promise<void> {
    await this.addAll(name, [job]);
  }

  async addAll<Name extends JobName>(name: Name, jobs: readonly NewJob<Name>[]): Promise<void> {
    const queue = this.queues.get(queueOfJob[name]);
    if (!queue) throw new Error(`The job ${name} is not added by hand`);
    if (jobs.length === 0) return;
    await queue.addBulk(
      jobs.map(({ payload, jobId, delayMs }) => ({
        name,
        data: payload,
        opts: { ...OPTIONS, jobId, ...(delayMs !== undefined && { delay: delayMs }) },
      })),
    );
  }
}

/** The generation tells a deliberate new run from the job that may still lie around. */
export function sendEmailJobId(emailId: string, generation: number): string {
  return `email-${emailId}-${generation}`;
}
