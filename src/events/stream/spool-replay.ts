import type { Redis } from 'ioredis';
import type { Clock } from '../../platform/clock/clock.js';
import type { Logger } from '../../platform/logging/logger.js';
import { appendEntry } from './append-entry.js';
import type { ClaimedSegment } from './claimed-segment.js';
import { EVENT_STREAM } from './stream-keys.js';
import type { Spool } from './spool.js';

/** Appends that are under way together: few enough for hits not to wait behind them. */
const BATCH_ENTRIES = 32;
const BATCH_BYTES = 256 * 1024;
/** How often other processes are told that a segment is not abandoned; they adopt it after 10 s. */
const KEEP_MS = 2_000;
/** The stream is asked for its length after so many bytes. */
const BETWEEN_LOOKS_BYTES = 1024 * 1024;
/**
 * What the stream may hold before a replay waits for the flushers: it shares the memory of Redis with the jobs, and
 * a spool can be many times as large. An entry takes some 200 bytes beside its payload.
 */
const BACKLOG_BYTES = 64 * 1024 * 1024;
const ENTRY_OVERHEAD_BYTES = 200;

/** How a replay ended: with nothing left, with more to do at once, or with a stream that flushers must empty first. */
export type ReplayOutcome = 'nothing' | 'replayed' | 'backlog';

/**
 * Brings the segments of a spool into the stream: in one pass over one listing of the folder, a segment at a time. A
 * segment that Redis refuses halfway stays claimed, and the next pass goes on behind the last entry it took.
 */
export class SpoolReplay {
  private listed: string[] = [];
  private current: ClaimedSegment | undefined;
  private keptAt = -Infinity;
  private readonly refusedFiles = new Set<string>();

  constructor(
    private readonly redis: Redis,
    private readonly spool: Spool,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly onReplayed: (entries: number) => void,
  ) {}

  /** Segments that this process may not or cannot read. */
  get unreadableSegments(): number {
    return this.refusedFiles.size;
  }

  /** True while a segment is claimed that is not all in the stream. */
  get isUnfinished(): boolean {
    return this.current !== undefined;
  }

  /**
   * One pass.
   * @param onTaken called whenever Redis has taken an entry
   * @throws the error of Redis when it refuses one
   */
  async run(signal: AbortSignal, onTaken: () => void): Promise<ReplayOutcome> {
    const done = { segments: 0, entries: 0 };
    try {
      if (!this.current) this.listed = await this.list();
      for (let segment = await this.nextSegment(); segment; segment = await this.nextSegment()) {
        if (!(await this.replay(segment, signal, onTaken))) return 'backlog';
        await this.finish(segment);
        done.segments++;
        done.entries += segment.entries;
      }
    } finally {
      if (done.segments > 0) this.logger.info(done, 'Spooled events are in the stream');
    }
    return done.segments > 0 ? 'replayed' : 'nothing';
  }

  private async list(): Promise<string[]> {
    try {
      const names = await this.spool.waiting();
      for (const name of this.refusedFiles) if (!names.includes(name)) this.refusedFiles.delete(name);
      return names.reverse();
    } catch (error) {
      this.logger.error({ reason: String(error) }, 'The spool cannot be read');
      return [];
    }
  }

  /** The one that was not finished, or the next of the listing that can be claimed. */
  private async nextSegment(): Promise<ClaimedSegment | undefined> {
    if (this.current && (await this.isKept(this.current))) return this.current;
    this.current = undefined;
    while (!this.current) {
      const name = this.listed.pop();
      if (name === undefined) return undefined;
      this.current = await this.claim(name);
    }
    return this.current;
  }

  /** A file that cannot be claimed costs what is in it, and keeps no other from being replayed. */
  private async claim(name: string): Promise<ClaimedSegment | undefined> {
    try {
      const segment = await this.spool.claim(name, this.clock.now());
      this.keptAt = performance.now();
      this.refusedFiles.delete(name);
      return segment;
    } catch (error) {
      if (!this.refusedFiles.has(name)) {
        this.refusedFiles.add(name);
        this.logger.error({ file: name, reason: String(error) }, 'A spool segment cannot be read; the others can');
      }
      return undefined;
    }
  }

  private async isKept(segment: ClaimedSegment): Promise<boolean> {
    if (performance.now() - this.keptAt < KEEP_MS) return true;
    this.keptAt = performance.now();
    return segment.keep(this.clock.now());
  }

  /** @returns false when the rest has to wait for the flushers, or for the next start */
  private async replay(segment: ClaimedSegment, signal: AbortSignal, onTaken: () => void): Promise<boolean> {
    let sinceLook = 0;
    // The first payload alone shows whether Redis takes entries.
    for (let batch = segment.next(1, 0); batch.length > 0; batch = segment.next(BATCH_ENTRIES, BATCH_BYTES)) {
      if (signal.aborted) return false;
      await this.append(segment, batch);
      onTaken();
      const bytes = batch.reduce((sum, { length }) => sum + length + ENTRY_OVERHEAD_BYTES, 0);
      sinceLook += bytes;
      if (sinceLook < BETWEEN_LOOKS_BYTES) continue;
      sinceLook = 0;
      await this.isKept(segment);
      if ((await this.redis.xlen(EVENT_STREAM)) * (bytes / batch.length) > BACKLOG_BYTES) return false;
    }
    return true;
  }

  private async append(segment: ClaimedSegment, batch: readonly Buffer[]): Promise<void> {
    const results = await Promise.allSettled(batch.map((payload) => appendEntry(this.redis, payload)));
    const refused = batch.filter((_, index) => results[index]!.status === 'rejected');
    segment.replayed(batch.length, refused);
    this.onReplayed(batch.length - refused.length);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  private async finish(segment: ClaimedSegment): Promise<void> {
    this.current = undefined;
    if (!segment.damaged) return segment.remove();
    this.logger.error({ file: segment.path }, 'Part of a spool segment is unreadable; it is set aside');
    await segment.setAside();
  }
}
