import { basename } from 'node:path';
import type { Redis } from 'ioredis';
import type { Clock } from '../../platform/clock/clock.js';
import type { Logger } from '../../platform/logging/logger.js';
import { appendEntry } from './append-entry.js';
import type { ClaimedSegment } from './claimed-segment.js';
import type { Spool } from './spool.js';
import { streamBytes } from './stream-bytes.js';

/** Concurrent appends: few enough that tracking hits do not wait behind them. */
const BATCH_ENTRIES = 32;
const BATCH_BYTES = 256 * 1024;
/** How often a claim is renewed; other processes adopt a segment after 10 s. */
const RENEW_MS = 2_000;
/** The stream is measured before each pass, and again after this many bytes. */
const CHECK_AFTER_BYTES = 1024 * 1024;
/**
 * Stream size above which a replay waits for the flushers. The stream shares the memory of Redis with the jobs, and a
 * spool can be many times larger.
 */
const BACKLOG_BYTES = 64 * 1024 * 1024;
/** What an entry takes in addition to its payload, at most. */
const ENTRY_OVERHEAD_BYTES = 200;

/** The outcome of a replay: nothing to do, more to do at once, or a backlog that flushers must reduce first. */
export type ReplayOutcome = 'nothing' | 'replayed' | 'backlog';

/**
 * Appends the segments of a spool to the stream, one at a time, in one pass over a folder listing. A segment that
 * Redis refuses halfway stays claimed, and the next pass continues after the last accepted entry.
 */
export class SpoolReplay {
  private listed: string[] = [];
  private current: ClaimedSegment | undefined;
  private renewedAt = -Infinity;
  /** Bytes appended since the stream was measured, in all segments of a pass. */
  private unmeasured = Infinity;
  private readonly refusedFiles = new Set<string>();
  /** By file name: segments that are in the stream, but whose files could not be removed. */
  private readonly leftOver = new Map<string, ClaimedSegment>();

  constructor(
    private readonly redis: Redis,
    private readonly spool: Spool,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly onReplayed: (entries: number) => void,
  ) {}

  /** Number of segments that this process cannot read. */
  get unreadableSegments(): number {
    return this.refusedFiles.size;
  }

  /** True while a claimed segment is only partly in the stream. */
  get isUnfinished(): boolean {
    return this.current !== undefined;
  }

  /** Lists the folder for the next pass. @returns false when there is nothing to replay */
  async prepare(): Promise<boolean> {
    if (!this.current) this.listed = await this.list();
    return this.isUnfinished || this.listed.length > 0;
  }

  /**
   * Runs one pass over what `prepare` has listed.
   * @throws the error of Redis when it refuses one
   */
  async run(signal: AbortSignal): Promise<ReplayOutcome> {
    const done = { segments: 0, entries: 0 };
    this.unmeasured = Infinity;
    try {
      for (let segment = await this.nextSegment(); segment; segment = await this.nextSegment()) {
        if (!(await this.replay(segment, signal))) return 'backlog';
        await this.finish(segment);
        done.segments++;
        done.entries += segment.entries;
      }
    } finally {
      if (done.segments > 0) this.logger.info(done, 'Replayed spooled events into the stream');
    }
    return done.segments > 0 ? 'replayed' : 'nothing';
  }

  private async list(): Promise<string[]> {
    try {
      const names = await this.spool.waiting();
      for (const name of this.refusedFiles) if (!names.includes(name)) this.refusedFiles.delete(name);
      for (const name of this.leftOver.keys()) if (!names.includes(name)) this.leftOver.delete(name);
      return names.reverse();
    } catch (error) {
      this.logger.error({ reason: String(error) }, 'Could not read the spool');
      return [];
    }
  }

  /** The unfinished segment, or the next one that can be claimed. */
  private async nextSegment(): Promise<ClaimedSegment | undefined> {
    if (this.current && (await this.renewIfDue(this.current))) return this.current;
    this.current = undefined;
    while (!this.current) {
      const name = this.listed.pop();
      if (name === undefined) return undefined;
      this.current = await this.claim(name);
    }
    return this.current;
  }

  /** A file that cannot be claimed does not stop the replay of the rest. */
  private async claim(name: string): Promise<ClaimedSegment | undefined> {
    try {
      const leftOver = this.leftOver.get(name);
      // Its claim stays renewed, so that no other process appends its entries again.
      if (leftOver && (await leftOver.renew(this.clock.now()))) return await this.finish(leftOver);
      const segment = await this.spool.claim(name, this.clock.now());
      this.renewedAt = performance.now();
      this.refusedFiles.delete(name);
      return segment;
    } catch (error) {
      if (!this.refusedFiles.has(name)) {
        this.refusedFiles.add(name);
        this.logger.error({ file: name, reason: String(error) }, 'A spool segment cannot be read; skipping it');
      }
      return undefined;
    }
  }

  private async renewIfDue(segment: ClaimedSegment): Promise<boolean> {
    if (performance.now() - this.renewedAt < RENEW_MS) return true;
    this.renewedAt = performance.now();
    return segment.renew(this.clock.now());
  }

  /** @returns false when the rest waits for the flushers or for the next start */
  private async replay(segment: ClaimedSegment, signal: AbortSignal): Promise<boolean> {
    // The first payload is sent alone to check that Redis accepts entries.
    for (let batch = segment.next(1, 0); batch.length > 0; batch = segment.next(BATCH_ENTRIES, BATCH_BYTES)) {
      if (signal.aborted || (await this.isStreamFull(segment))) return false;
      await this.append(segment, batch);
      this.unmeasured += batch.reduce((sum, { length }) => sum + length + ENTRY_OVERHEAD_BYTES, 0);
    }
    return true;
  }

  private async isStreamFull(segment: ClaimedSegment): Promise<boolean> {
    if (this.unmeasured < CHECK_AFTER_BYTES) return false;
    await this.renewIfDue(segment);
    if ((await streamBytes(this.redis)) > BACKLOG_BYTES) return true;
    this.unmeasured = 0;
    return false;
  }

  private async append(segment: ClaimedSegment, batch: readonly Buffer[]): Promise<void> {
    const results = await Promise.allSettled(batch.map((payload) => appendEntry(this.redis, payload)));
    const refused = batch.filter((_, index) => results[index]!.status === 'rejected');
    segment.replayed(batch.length, refused);
    this.onReplayed(batch.length - refused.length);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  /** A file that cannot be removed does not stop the replay of the rest. Each pass tries to remove it again. */
  private async finish(segment: ClaimedSegment): Promise<undefined> {
    this.current = undefined;
    const name = basename(segment.path);
    const isKnown = this.leftOver.has(name);
    try {
      await (segment.damaged ? segment.quarantine() : segment.remove());
      this.leftOver.delete(name);
      if (!segment.damaged) return;
      this.logger.error({ file: segment.path }, 'Part of a spool segment is unreadable; the file is kept as damaged');
    } catch (error) {
      this.leftOver.set(name, segment);
      if (isKnown) return;
      this.logger.error(
        { file: name, reason: String(error) },
        'A replayed spool segment cannot be removed; trying again',
      );
    }
  }
}
