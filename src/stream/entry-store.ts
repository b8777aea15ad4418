import type { Redis } from 'ioredis';
import type { Clock } from '../clock/clock.js';
import type { Logger } from '../logging/logger.js';
import { appendEntry } from './append-entry.js';
import { readSegment } from './spool-segment.js';
import type { ClaimedSegment, Spool } from './spool.js';

/** Longest wait for Redis before an entry goes to the spool: what a reader who clicked hardly notices. */
const REDIS_DEADLINE_MS = 150;
const PROBE_INTERVAL_MS = 250;
const ADOPTION_INTERVAL_MS = 5_000;

/**
 * Stores entries in the stream, or in the spool while Redis is away, slow or full. After a failure nothing waits
 * for Redis again until a replay of the spool, tried in the background, has shown that it takes entries.
 */
export class EntryStore {
  private suspended = false;
  private closed = false;
  private timer: NodeJS.Timeout | undefined;
  private recovery: Promise<void> = Promise.resolve();

  constructor(
    private readonly redis: Redis,
    private readonly spool: Spool,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly onReplayed: (entries: number) => void = () => undefined,
  ) {}

  /** Looks for what earlier processes left in the spool, now and again and again. */
  start(): void {
    this.recoverIn(0);
  }

  /**
   * Resolves with the place that has the entry durably.
   * @throws the spool's error when neither place took it
   */
  async store(entry: Buffer): Promise<'stream' | 'spool'> {
    if (!this.suspended) {
      try {
        await within(REDIS_DEADLINE_MS, appendEntry(this.redis, entry));
        return 'stream';
      } catch (error) {
        this.suspend(error);
      }
    }
    await this.spool.append(entry);
    return 'spool';
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.recovery;
    await this.spool.close();
  }

  private suspend(error: unknown): void {
    if (this.suspended) return;
    this.suspended = true;
    this.logger.warn({ reason: String(error) }, 'Redis does not take events; they go to the spool');
    this.recoverIn(PROBE_INTERVAL_MS);
  }

  private recoverIn(milliseconds: number): void {
    clearTimeout(this.timer);
    if (this.closed) return;
    this.timer = setTimeout(() => {
      this.recovery = this.recovery.then(() => this.recover());
    }, milliseconds).unref();
  }

  private async recover(): Promise<void> {
    try {
      await this.replaySpool();
    } catch (error) {
      this.logger.debug({ reason: String(error) }, 'The spool waits for Redis');
    }
    this.recoverIn(this.suspended ? PROBE_INTERVAL_MS : ADOPTION_INTERVAL_MS);
  }

  private async replaySpool(): Promise<void> {
    await this.redis.ping();
    for (;;) {
      const segment = await this.claimSegment();
      if (segment) await this.replay(segment);
      this.resume();
      if (!segment) return;
    }
  }

  /** A disk that cannot be read must not keep events away from a Redis that works. */
  private async claimSegment(): Promise<ClaimedSegment | undefined> {
    if (this.closed) return undefined;
    try {
      return await this.spool.claim(this.clock.now());
    } catch (error) {
      this.logger.error({ reason: String(error) }, 'The spool cannot be read');
      return undefined;
    }
  }

  private resume(): void {
    if (!this.suspended) return;
    this.suspended = false;
    this.logger.info('Redis takes events again');
  }

  private async replay(segment: ClaimedSegment): Promise<void> {
    const { payloads, damaged } = readSegment(segment.bytes);
    for (const payload of payloads) await appendEntry(this.redis, payload);
    this.onReplayed(payloads.length);
    this.logger.info({ entries: payloads.length, damaged }, 'Spooled events are in the stream');
    if (!damaged) return segment.remove();
    this.logger.error({ file: segment.path }, 'Part of a spool segment is unreadable; it is set aside');
    await segment.setAside();
  }
}

/** Rejects when `work` takes longer; what it does afterwards is ignored. */
async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
