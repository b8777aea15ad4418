import type { Redis } from 'ioredis';
import type { Clock } from '../../platform/clock/clock.js';
import { withDeadline } from '../../platform/clock/with-deadline.js';
import type { Logger } from '../../platform/logging/logger.js';
import { redisOutageReason } from '../../platform/redis/outage-errors.js';
import { appendEntry, checkWritable } from './append-entry.js';
import { SpoolReplay, type ReplayOutcome } from './spool-replay.js';
import type { Spool } from './spool.js';

/** Longest wait for Redis before an entry goes to the spool: short enough that a reader who clicked hardly notices. */
const REDIS_DEADLINE_MS = 150;
const PROBE_INTERVAL_MS = 250;
const ADOPTION_INTERVAL_MS = 5_000;

/**
 * Stores entries in the stream, or in the spool while Redis is unavailable, slow or full. After a failure, entries
 * skip Redis until a probe has shown that it accepts writes. The spool is replayed in the background, and nothing waits
 * for that: its disk may not respond.
 */
export class EntryStore {
  private suspended = false;
  private readonly closing = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  /** Tells the entry that waits for the disk that Redis accepts entries again. */
  private onResumed: () => void = () => undefined;
  private replaying: Promise<ReplayOutcome> | undefined;
  private readonly replay: SpoolReplay;
  private readonly logger: Logger;

  constructor(
    private readonly redis: Redis,
    private readonly spool: Spool,
    clock: Clock,
    logger: Logger,
    onReplayed: (entries: number) => void = () => undefined,
  ) {
    this.logger = logger.child({ folder: this.folder });
    this.replay = new SpoolReplay(redis, spool, clock, this.logger, onReplayed);
  }

  /** The spool's. */
  get folder(): string {
    return this.spool.directory;
  }

  /** Starts the periodic replay of entries that earlier processes left in the spool. */
  start(): void {
    this.spool.space.refresh();
    this.recoverIn(0);
  }

  /** Spool segments that this process cannot read: damaged, or of another account. */
  get unreadableSegments(): number {
    return this.spool.space.damagedSegments + this.replay.unreadableSegments;
  }

  /**
   * Resolves with where the entry was stored durably. Call it for one entry at a time.
   * @throws the spool's error when both failed
   */
  async store(entry: Buffer): Promise<'stream' | 'spool'> {
    for (;;) {
      if (!this.suspended) {
        try {
          await withDeadline(REDIS_DEADLINE_MS, appendEntry(this.redis, entry));
          return 'stream';
        } catch (error) {
          this.suspend(error);
        }
      }
      if (await this.isSpooled(entry)) return 'spool';
    }
  }

  /**
   * @returns false when Redis accepts entries again before the disk has this one. It may be in both then: flushers
   * store the events of an entry once.
   */
  private isSpooled(entry: Buffer): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.onResumed = () => resolve(false);
      this.spool.append(entry).then(() => resolve(true), reject);
    });
  }

  async close(): Promise<void> {
    this.closing.abort();
    clearTimeout(this.timer);
    await this.replaying;
    await this.spool.close();
  }

  private suspend(error: unknown): void {
    if (this.suspended) return;
    this.suspended = true;
    const reason = redisOutageReason((error as Error).message);
    this.logger.warn({ reason }, 'Redis does not accept events; writing them to the spool');
    this.recoverIn(PROBE_INTERVAL_MS);
  }

  private recoverIn(milliseconds: number): void {
    clearTimeout(this.timer);
    if (this.closing.signal.aborted) return;
    this.timer = setTimeout(() => void this.recover(), milliseconds).unref();
  }

  private async recover(): Promise<void> {
    if (this.suspended) await this.probe();
    if (this.closing.signal.aborted) return;
    if (this.suspended) {
      // Other processes spool into the same folder.
      this.spool.space.refresh();
      return this.recoverIn(PROBE_INTERVAL_MS);
    }
    // A replay under way continues, and recovers at its end.
    if (this.replaying) return;
    this.replaying = this.replayed();
    const outcome = await this.replaying;
    this.replaying = undefined;
    this.recoverIn(this.suspended || outcome !== 'nothing' ? PROBE_INTERVAL_MS : ADOPTION_INTERVAL_MS);
  }

  private async probe(): Promise<void> {
    try {
      // Ping first: a hung Redis must not receive one write per probe when it resumes.
      await this.redis.ping();
      await checkWritable(this.redis);
      this.resume();
    } catch (error) {
      this.logger.debug({ reason: String(error) }, 'Redis does not accept events yet');
    }
  }

  private async replayed(): Promise<ReplayOutcome> {
    try {
      // Usually there is nothing to replay, and Redis is not asked.
      if (!(await this.replay.prepare())) return 'nothing';
      // As before a probe.
      await this.redis.ping();
      return await this.replay.run(this.closing.signal);
    } catch (error) {
      this.logger.debug({ reason: String(error) }, 'The spool waits for Redis');
      return this.replay.isUnfinished ? 'backlog' : 'nothing';
    }
  }

  private resume(): void {
    if (!this.suspended) return;
    this.suspended = false;
    this.logger.info('Redis accepts events again');
    this.onResumed();
  }
}
