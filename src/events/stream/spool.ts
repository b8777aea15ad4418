import { randomUUID } from 'node:crypto';
import { open, rename, type FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ClaimedSegment } from './claimed-segment.js';
import { OpenSegment } from './open-segment.js';
import { CLAIMED_SEGMENT, isMissing, OPEN_SEGMENT } from './spool-folder.js';
import { encodeSegmentRecord } from './spool-segment.js';
import { SpoolFullError, SpoolSpace } from './spool-space.js';

const SEGMENT_BYTES = 4 * 1024 * 1024;
const MIN_SEGMENTS = 32;
const ABANDONED_AFTER_MS = 10_000;
/** Delay after a disk failure: an attempt per event would only add load. */
const PAUSE_MS = 500;
/** An older failure is no longer reported. */
const FAILURE_REPORTED_MS = 60_000;

export interface SpoolLimits {
  /** A new segment starts when the current one reaches this many bytes. */
  readonly segmentBytes: number;
  /** Limit of the whole folder in bytes, including files of other processes. */
  readonly totalBytes: number;
  /** A segment of another process is adopted when it has not been touched for this long. */
  readonly abandonedAfterMs: number;
}

/** @param totalBytes limit of the folder; all processes that share it need the same value */
export function spoolLimits(totalBytes: number): SpoolLimits {
  const segmentBytes = Math.min(SEGMENT_BYTES, Math.ceil(totalBytes / MIN_SEGMENTS));
  return { segmentBytes, totalBytes, abandonedAfterMs: ABANDONED_AFTER_MS };
}

export const DEFAULT_SPOOL_LIMITS: SpoolLimits = spoolLimits(10_000_000_000);

/**
 * Entries that Redis did not accept, in append-only files. Several processes may share the folder: each writes its own
 * segments, and any may adopt abandoned ones. Adoption renames the file. After every write, the writer checks that its
 * file still has its name. So no entry is lost in a file that has already been read.
 */
export class Spool {
  readonly space: SpoolSpace;
  /** Absolute, for the log: a relative one depends on the folder from which the process was started. */
  readonly directory: string;
  private segment: OpenSegment | undefined;
  private readonly owner = randomUUID();
  private segments = 0;
  private failure: { readonly error: unknown; readonly at: number } | undefined;
  private lastTurn: Promise<unknown> = Promise.resolve();

  constructor(
    directory: string,
    private readonly limits: SpoolLimits = DEFAULT_SPOOL_LIMITS,
    /** Milliseconds that only go forward. */
    private readonly elapsed: () => number = () => performance.now(),
  ) {
    this.directory = resolve(directory);
    this.space = new SpoolSpace(this.directory, limits.totalBytes);
  }

  /** Why the spool rejects entries: it is full, or the code of the disk error; undefined when it accepts them. */
  get refusal(): string | undefined {
    const { failure } = this;
    if (this.space.isFull) return 'the spool is full';
    if (!failure || this.elapsed() - failure.at > FAILURE_REPORTED_MS) return undefined;
    return String((failure.error as NodeJS.ErrnoException).code ?? 'the spool is full');
  }

  /**
   * Resolves when the payload is on disk.
   * @throws SpoolFullError, or the file system's error
   */
  append(payload: Buffer): Promise<void> {
    return this.inTurn(() => this.write(payload));
  }

  /** The names of the segments to replay: those already claimed first, this process's open segment last. */
  async waiting(): Promise<string[]> {
    const { segments } = await this.space.list();
    const isOwn = (name: string) => name.startsWith(this.owner) && name.endsWith(OPEN_SEGMENT);
    return [...segments.filter((name) => !isOwn(name)), ...segments.filter(isOwn)];
  }

  /**
   * Claims a segment from `waiting`: an own one, or an abandoned one.
   * @returns undefined when it belongs to another process
   * @throws the file system's error, for example for a file of another account
   */
  async claim(name: string, now: number): Promise<ClaimedSegment | undefined> {
    const path = join(this.directory, name);
    const isOwn = name.startsWith(this.owner);
    if (isOwn) await this.inTurn(() => this.closeSegment(path));
    let file: FileHandle | undefined;
    try {
      file = await open(path, 'r');
      if (!isOwn && Math.abs(now - (await file.stat()).mtimeMs) < this.limits.abandonedAfterMs) return undefined;
      // Touch it before the rename, so that no process treats the claimed file as abandoned.
      await file.utimes(new Date(now), new Date(now));
      const claimed = isOwn && name.endsWith(CLAIMED_SEGMENT) ? path : this.newPath(randomUUID(), CLAIMED_SEGMENT);
      if (claimed !== path) await rename(path, claimed);
      return new ClaimedSegment(claimed, await file.readFile(), this.space);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    } finally {
      await file?.close();
    }
  }

  close(): Promise<void> {
    return this.inTurn(() => this.closeSegment());
  }

  private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.lastTurn.then(work);
    this.lastTurn = turn.catch(() => undefined);
    return turn;
  }

  private async write(payload: Buffer): Promise<void> {
    const record = encodeSegmentRecord(payload);
    this.throwWhilePaused();
    try {
      this.space.require(record.length);
      await this.writeRecord(record);
    } catch (error) {
      this.failure = { error, at: this.elapsed() };
      if (!(error instanceof SpoolFullError)) await this.recoverSegment(error);
      throw error;
    }
    this.failure = undefined;
    this.space.wrote(record.length);
    if (this.segment!.bytes >= this.limits.segmentBytes) await this.closeSegment();
  }

  private async writeRecord(record: Buffer): Promise<void> {
    for (;;) {
      this.segment ??= await this.openSegment();
      await this.segment.append(record);
      if (await this.segment.isInPlace()) return;
      await this.closeSegment();
    }
  }

  /** Checking a full folder is free; a failing disk is not. */
  private throwWhilePaused(): void {
    if (!this.failure || this.failure.error instanceof SpoolFullError) return;
    if (this.elapsed() - this.failure.at < PAUSE_MS) throw this.failure.error;
  }

  private async recoverSegment(error: unknown): Promise<void> {
    const isUsable = await this.segment?.recover(error).catch(() => false);
    if (!isUsable) this.segment = undefined;
  }

  /** Refreshes the folder's size with every new segment, while this one is being filled. */
  private async openSegment(): Promise<OpenSegment> {
    if (this.segments > 0) await this.space.settled();
    this.space.refresh();
    return OpenSegment.create(this.newPath(String(this.segments++).padStart(8, '0'), OPEN_SEGMENT));
  }

  private newPath(name: string, suffix: string): string {
    return join(this.directory, `${this.owner}-${name}${suffix}`);
  }

  /** @param path closes the segment only if this is its path */
  private async closeSegment(path = this.segment?.path): Promise<void> {
    const { segment } = this;
    if (!segment || segment.path !== path) return;
    this.segment = undefined;
    await segment.close();
  }
}
