import { Worker, type Job, type Processor, type WorkerOptions } from 'bullmq';
import type { RedisConnection } from '../../../platform/redis/connect.js';
import { redisTime } from '../../../platform/redis/earliest-time.js';
import { CloseDuringOutage } from '../../../platform/redis/ioredis-overrides/close-during-outage.js';

/**
 * Where the time is among the arguments of the commands that fetch a job. They also make delayed jobs ready
 * that are due.
 */
const TIME_ARGUMENT: Readonly<Record<string, number>> = { moveToActive: 12, moveToFinished: 15 };
/** How often the clock of Redis is read. */
const READ_EVERY_MS = 10_000;

interface Backend {
  execCommand(client: unknown, command: string, args: readonly unknown[]): unknown;
}

/**
 * A consumer that records when it last fetched a job: a connected, running worker may still fetch none. Delayed jobs
 * are due by the Redis clock, even if this host's clock is ahead.
 */
export class MonitoredWorker extends Worker {
  private fetchedAt = Date.now();
  /** The clock of Redis when it was read last, and the monotonic clock of this process at that time. */
  private redisTime = Infinity;
  private readAt = -Infinity;
  private readonly connections: CloseDuringOutage;

  constructor(name: string, processor: string | URL | null | Processor, options: WorkerOptions) {
    const connections = new CloseDuringOutage();
    super(name, processor, { ...options, connection: connections.apply(options.connection) });
    this.connections = connections;
    this.fetchByRedisClock(this.backend as unknown as Backend);
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
    await this.readRedisClock();
    await this.backend.moveToDelayed(id!, this.earliestTime, milliseconds, token, { skipAttempt: true });
  }

  protected override async moveToActive(...fetch: Parameters<Worker['moveToActive']>) {
    if (performance.now() - this.readAt > READ_EVERY_MS) await this.readRedisClock();
    return super.moveToActive(...fetch);
  }

  /** @param blockUntil when the next delayed job is due, or 0 */
  protected override getBlockTimeout(blockUntil: number): number {
    return super.getBlockTimeout(blockUntil && blockUntil + Date.now() - this.earliestTime);
  }

  /** BullMQ calls this for every response of the queue, including an empty one. */
  protected override nextJobFromJobData(...response: Parameters<Worker['nextJobFromJobData']>) {
    this.fetchedAt = Date.now();
    return super.nextJobFromJobData(...response);
  }

  /** The earlier time of this host and of Redis, in milliseconds since 1970. */
  private get earliestTime(): number {
    const now = Date.now();
    if (this.redisTime === Infinity) return now;
    return Math.min(now, Math.floor(this.redisTime + performance.now() - this.readAt));
  }

  /**
   * Keeps the last reading while the connection is not ready: ioredis sends TIME before the server has said that it is,
   * and if that connection is lost, too, no response ever comes. The consumer would fetch no job again.
   */
  private async readRedisClock(): Promise<void> {
    const client = (await this.backend.client) as unknown as RedisConnection;
    if (client.status !== 'ready') return;
    this.redisTime = await redisTime(client);
    this.readAt = performance.now();
  }

  /**
   * BullMQ uses the clock of the host. With one that is ahead, a job that was put off would be ready at once, before
   * all jobs behind it: while an organization's mail waits for its provider, no other mail would get its turn.
   */
  private fetchByRedisClock(backend: Backend): void {
    const execute = backend.execCommand.bind(backend);
    backend.execCommand = (client, command, args) => {
      const index = TIME_ARGUMENT[command];
      // In another version of BullMQ, the place may have another argument.
      const isTime = index !== undefined && typeof args[index] === 'number';
      return execute(client, command, isTime ? args.with(index, this.earliestTime) : args);
    };
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
