import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, stat, unlink, utimes, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeSegmentRecord } from './spool-segment.js';

const OPEN_SEGMENT = '.spool';
const CLAIMED_SEGMENT = '.replaying';
const DAMAGED_SEGMENT = '.damaged';

export interface SpoolLimits {
  /** A segment that has grown to this many bytes is followed by a new one. */
  readonly segmentBytes: number;
  /** The folder takes nothing more beyond this many bytes. */
  readonly totalBytes: number;
  /** Segments of other processes are adopted when nobody has touched them for so long. */
  readonly abandonedAfterMs: number;
}

export const DEFAULT_SPOOL_LIMITS: SpoolLimits = {
  segmentBytes: 4 * 1024 * 1024,
  totalBytes: 1024 * 1024 * 1024,
  abandonedAfterMs: 10_000,
};

/** Thrown when the folder has reached its bound. */
export class SpoolFullError extends Error {
  constructor(readonly limitBytes: number) {
    super(`The spool is full (${limitBytes} bytes)`);
    this.name = 'SpoolFullError';
  }
}

/**
 * Entries that Redis did not take, in append-only files. Several processes may share the folder: each writes
 * segments of its own, and any of them may adopt what another left behind. Adopting renames the file, and a
 * writer looks after every write whether its file still has its name, so that nothing is ever written into
 * a file that somebody else has read already.
 */
export class Spool {
  private segment: { path: string; handle: FileHandle; bytes: number } | undefined;
  private readonly owner = randomUUID();
  private segments = 0;
  private occupiedBytes = 0;
  private lastTurn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly directory: string,
    private readonly limits: SpoolLimits = DEFAULT_SPOOL_LIMITS,
  ) {}

  /** Bytes in the folder, as of the last look at it plus what this process has written since. */
  get bytes(): number {
    return this.occupiedBytes;
  }

  /**
   * Resolves when the payload is on disk.
   * @throws SpoolFullError, or the file system's error
   */
  append(payload: Buffer): Promise<void> {
    return this.inTurn(() => this.write(payload));
  }

  /** Takes over the next segment to replay: one's own, or one that was abandoned. */
  claim(now: number): Promise<ClaimedSegment | undefined> {
    return this.inTurn(() => this.claimNext(now));
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
    if (this.occupiedBytes + record.length > this.limits.totalBytes) throw new SpoolFullError(this.limits.totalBytes);
    try {
      do {
        this.segment ??= await this.openSegment();
        await this.segment.handle.appendFile(record);
        await this.segment.handle.datasync();
      } while (!(await this.isInPlace()));
    } catch (error) {
      // Whatever was half written must stay the end of its segment.
      await this.closeSegment().catch(() => undefined);
      throw error;
    }
    this.occupiedBytes += record.length;
    this.segment!.bytes += record.length;
    if (this.segment!.bytes >= this.limits.segmentBytes) await this.closeSegment();
  }

  private async claimNext(now: number): Promise<ClaimedSegment | undefined> {
    for (const name of await this.look()) {
      const path = join(this.directory, name);
      if (!name.startsWith(this.owner) && !(await this.isAbandoned(path, now))) continue;
      if (this.segment?.path === path) await this.closeSegment();
      const claimed = join(this.directory, `${this.owner}-${randomUUID()}${CLAIMED_SEGMENT}`);
      try {
        // Fresh before it is renamed, so that nobody takes the claimed file for an abandoned one.
        await utimes(path, new Date(now), new Date(now));
        await rename(path, claimed);
        return new ClaimedSegment(claimed, await readFile(claimed));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
    return undefined;
  }

  /** The names of all segments, oldest first by name; also refreshes `bytes`. */
  private async look(): Promise<string[]> {
    await mkdir(this.directory, { recursive: true });
    const names = (await readdir(this.directory)).sort();
    const sizes = await Promise.all(names.map((name) => sizeOf(join(this.directory, name))));
    this.occupiedBytes = sizes.reduce((sum, size) => sum + size, 0);
    return names.filter((name) => name.endsWith(OPEN_SEGMENT) || name.endsWith(CLAIMED_SEGMENT));
  }

  private async isAbandoned(path: string, now: number): Promise<boolean> {
    try {
      return now - (await stat(path)).mtimeMs >= this.limits.abandonedAfterMs;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  private async openSegment() {
    await mkdir(this.directory, { recursive: true });
    const path = join(this.directory, `${this.owner}-${String(this.segments++).padStart(8, '0')}${OPEN_SEGMENT}`);
    const handle = await open(path, 'ax', 0o600);
    // A file is durable only when its name is, too.
    const folder = await open(this.directory, 'r');
    await folder.sync().finally(() => folder.close());
    return { path, handle, bytes: 0 };
  }

  private async isInPlace(): Promise<boolean> {
    try {
      await stat(this.segment!.path);
      return true;
    } catch (error) {
      if (!isMissing(error)) throw error;
      await this.closeSegment();
      return false;
    }
  }

  private async closeSegment(): Promise<void> {
    const { segment } = this;
    this.segment = undefined;
    await segment?.handle.close();
  }
}

/** A segment that this process alone replays now. */
export class ClaimedSegment {
  constructor(
    readonly path: string,
    readonly bytes: Buffer,
  ) {}

  /** Everything in it is in the stream. */
  async remove(): Promise<void> {
    await unlink(this.path).catch(ignoreMissing);
  }

  /** What could be read is in the stream; the file stays for somebody to look at. */
  async setAside(): Promise<void> {
    await rename(this.path, this.path.replace(CLAIMED_SEGMENT, DAMAGED_SEGMENT)).catch(ignoreMissing);
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    ignoreMissing(error);
    return 0;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
