import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { LOGGER, type Logger } from '../logging/logger.js';
import { REDIS, type RedisConnection } from '../redis/connect.js';
import { CircuitBreaker } from '../redis/circuit-breaker.js';
import { QUEUE_PREFIX, queueOfJob, type JobName, type Jobs } from './jobs.js';

export interface NewJob<Name extends JobName> {
  readonly payload: Jobs[Name];
  /** A job whose id is already waiting, delayed or running is not added again. No colon (BullMQ). */
  readonly jobId: string;
  readonly delayMs?: number;
  /** 0, the default, goes first; then in the order of the numbers. */
  readonly priority?: number;
}

/**
 * Postgres decides what is finished and when to try again: BullMQ keeps no finished job, so that
 * a job id can be used again, and never retries by itself.
 */
const OPTIONS = { removeOnComplete: true, removeOnFail: true, attempts: 1 } as const;

/** Longest wait of one who adds jobs; a Redis that hangs is not asked again for as long as the second number says. */
const DEADLINE_MS = 700;
const SILENCE_MS = 1_000;

/** Jobs of one request to Redis, which it takes in a fraction of the deadline even while the machine is busy. */
const JOBS_AT_ONCE = 200;

/**
 * Loaded by the first who adds a job, before the clock of the deadline starts: it takes 29 MB, and a fifth of what a
 * start costs, where perhaps no job is ever made.
 */
function loadBullMq() {
  return import('bullmq');
}

/** Puts jobs into their queues. Fails within a second when Redis is away or hung, and works again when it is back. */
@Injectable()
export class JobProducer implements OnApplicationShutdown {
  private readonly queues = new Map<string, Promise<Queue>>();
  private readonly circuitBreaker = new CircuitBreaker(DEADLINE_MS, SILENCE_MS);

  /** On the connection for short commands: consumers, which block for long, have one of their own. */
  constructor(
    @Inject(REDIS) private readonly connection: RedisConnection,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    const queues = await Promise.allSettled(this.queues.values());
    await Promise.all(queues.map((queue) => (queue.status === 'fulfilled' ? queue.value.close() : undefined)));
  }

  async add<Name extends JobName>(name: Name, job: NewJob<Name>): Promise<void> {
    await this.addAll(name, [job]);
  }

  async addAll<Name extends JobName>(name: Name, jobs: readonly NewJob<Name>[]): Promise<void> {
    if (jobs.length === 0) return;
    const entries = jobs.map(({ payload, jobId, delayMs, priority }) => ({
      name,
      data: payload,
      opts: { ...OPTIONS, jobId, ...(delayMs !== undefined && { delay: delayMs }), ...(priority && { priority }) },
    }));
    await loadBullMq();
    for (let start = 0; start < entries.length; start += JOBS_AT_ONCE) {
      const some = entries.slice(start, start + JOBS_AT_ONCE);
      await this.circuitBreaker.run(async () => addTo(await this.open(queueOfJob[name]), some));
    }
  }

  /** False when Redis is away or hung. */
  async isReachable(): Promise<boolean> {
    return this.circuitBreaker
      .run(() => this.connection.ping())
      .then(
        () => true,
        () => false,
      );
  }

  /** A queue whose first look at Redis failed would fail for ever: it is forgotten, and the next call opens another. */
  private open(name: string): Promise<Queue> {
    const known = this.queues.get(name);
    if (known) return known;
    const opening = this.openQueue(name);
    this.queues.set(name, opening);
    opening.catch(() => this.queues.delete(name));
    return opening;
  }

  private async openQueue(name: string): Promise<Queue> {
    const { Queue } = await loadBullMq();
    const queue = new Queue(name, { connection: this.connection, prefix: QUEUE_PREFIX, skipWaitingForReady: true });
    queue.on('error', (error) => this.logger.debug({ queue: name, err: error }, 'A queue is in trouble'));
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      await queue.close().catch(() => undefined);
      throw error;
    }
  }
}

/** Several are a transaction of Redis; one job is one command, for half the processor time. */
async function addTo(queue: Queue, jobs: Parameters<Queue['addBulk']>[0]): Promise<void> {
  const [first] = jobs;
  if (first && jobs.length === 1) await queue.add(first.name, first.data, first.opts);
  else await queue.addBulk(jobs);
}

/** Emails of one organization that go before the next ones of others: what a turn of the round robin brings. */
const TURN = 20;
/** What BullMQ can order by. */
const LAST_PRIORITY = 2 ** 21 - 1;

/**
 * A job that hands an email to a worker. Organizations take turns: the further back an email stands in the line of
 * its own organization, the later it goes, so that who sends one email waits behind one turn of each of the others.
 * @param position in the queue
 */
export function sendEmailJob(email: {
  readonly emailId: string;
  readonly generation: number;
  readonly position: number;
  readonly waitingInstance?: string | undefined;
}): NewJob<'send-email'> {
  const { emailId, generation, position, waitingInstance } = email;
  return {
    payload: { emailId, ...(waitingInstance !== undefined && { waitingInstance }) },
    jobId: sendEmailJobId(emailId, generation),
    priority: Math.min(Math.floor(position / TURN), LAST_PRIORITY),
  };
}

/** The generation tells a deliberate new run from the job that may still lie around. */
function sendEmailJobId(emailId: string, generation: number): string {
  return `email-${emailId}-${generation}`;
}
