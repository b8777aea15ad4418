import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { LOGGER, type Logger } from '../logging/logger.js';
import { REDIS, type RedisConnection } from '../redis/connect.js';
import { CircuitBreaker } from '../redis/circuit-breaker.js';
import { earliestTime } from '../redis/earliest-time.js';
import { QUEUE_PREFIX, queueOfJob, type JobName, type Jobs } from './jobs.js';

export interface NewJob<Name extends JobName> {
  readonly payload: Jobs[Name];
  /** A job whose ID is already waiting, delayed or running is not added again. BullMQ forbids colons. */
  readonly jobId: string;
  readonly delayMs?: number;
  /** Lower numbers run first. The default, 0, is the highest priority. */
  readonly priority?: number;
}

/**
 * Postgres decides which work is finished and when to retry. BullMQ therefore keeps no finished jobs, so that a job ID
 * can be reused, and never retries on its own.
 */
const OPTIONS = { removeOnComplete: true, removeOnFail: true, attempts: 1 } as const;

/** Deadline for adding jobs, and the cooldown of the circuit breaker after a timeout. */
const DEADLINE_MS = 700;
const COOLDOWN_MS = 1_000;

/** Jobs per Redis request. Redis handles this many in a fraction of the deadline, even on a busy machine. */
const BATCH_SIZE = 200;

/**
 * Loads BullMQ with the first job, before the deadline starts. Loading takes 29 MB and a fifth of the startup time,
 * which a process that adds no jobs saves.
 */
function loadBullMq() {
  return import('./bullmq-queue.js');
}

/** Adds jobs to their queues. Fails within a second while Redis is down or hung, and recovers with it. */
@Injectable()
export class JobProducer implements OnApplicationShutdown {
  private readonly queues = new Map<string, Promise<Queue>>();
  private readonly circuitBreaker = new CircuitBreaker(DEADLINE_MS, COOLDOWN_MS);

  /** Uses the connection for short commands. Consumers block and have their own connections. */
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
    await loadBullMq();
    const timestamp = jobs.some(({ delayMs }) => delayMs) ? await earliestTime(this.connection) : undefined;
    const entries = jobs.map(({ payload, jobId, delayMs, priority }) => ({
      name,
      data: payload,
      opts: { ...OPTIONS, jobId, ...(delayMs && { delay: delayMs, timestamp }), ...(priority && { priority }) },
    }));
    for (let start = 0; start < entries.length; start += BATCH_SIZE) {
      const batch = entries.slice(start, start + BATCH_SIZE);
      await this.circuitBreaker.run(async () => addTo(await this.open(queueOfJob[name]), batch));
    }
  }

  /** False while Redis is down or hung. */
  async isReachable(): Promise<boolean> {
    return this.circuitBreaker
      .run(() => this.connection.ping())
      .then(
        () => true,
        () => false,
      );
  }

  /** A queue whose first connection failed would fail forever, so it is dropped and the next call opens a new one. */
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
    queue.on('error', (error) => this.logger.debug({ queue: name, err: error }, 'Queue error'));
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      await queue.close().catch(() => undefined);
      throw error;
    }
  }
}

/** `addBulk` is a Redis transaction. For a single job, `add` takes half the CPU time. */
async function addTo(queue: Queue, jobs: Parameters<Queue['addBulk']>[0]): Promise<void> {
  const [first] = jobs;
  if (first && jobs.length === 1) await queue.add(first.name, first.data, first.opts);
  else await queue.addBulk(jobs);
}

/** Emails that each organization gets per round of the round robin. */
const ROUND_ROBIN_QUANTUM = 20;
/** Limit of BullMQ. */
const MAX_PRIORITY = 2 ** 21 - 1;

/** An email that gets a job. */
interface QueuedEmail {
  readonly emailId: string;
  readonly generation: number;
  readonly position: number;
  readonly waitingInstance?: string | undefined;
}

/**
 * Creates the job that delivers an email. Its priority implements a round robin over organizations: it grows with the
 * email's position in its organization's queue. A single email thus waits for at most one quantum per organization.
 */
export function sendEmailJob(email: QueuedEmail): NewJob<'send-email'> {
  const { emailId, waitingInstance } = email;
  return {
    payload: { emailId, ...(waitingInstance !== undefined && { waitingInstance }) },
    jobId: `email-${idOf(email)}`,
    priority: priorityOf(email),
  };
}

/** Creates the job that delivers emails of one broadcast, at the position of the first. @param emails at least one */
export function sendEmailsTogetherJob(emails: readonly QueuedEmail[]): NewJob<'send-emails-together'> {
  const first = emails[0]!;
  return {
    payload: { emailIds: emails.map(({ emailId }) => emailId) },
    jobId: `emails-${idOf(first)}`,
    priority: priorityOf(first),
  };
}

function priorityOf({ position }: QueuedEmail): number {
  return Math.min(Math.floor(position / ROUND_ROBIN_QUANTUM), MAX_PRIORITY);
}

/** The generation distinguishes a deliberate new run from an old job that may still exist. */
function idOf({ emailId, generation }: QueuedEmail): string {
  return `${emailId}-${generation}`;
}
