import { access, constants } from 'node:fs/promises';
import { withDeadline } from '../../platform/clock/with-deadline.js';
import { listFolder, makeFolder, type FolderListing } from './spool-folder.js';

/** A full folder is listed again after this time: another process may have replayed its segments. */
const RECHECK_MS = 1_000;
/** Shorter than the checks of readiness, which say what is missing, and than a scrape may take. */
const CHECK_DEADLINE_MS = 500;
/** A start keeps the process so busy that the disk's response may wait for seconds. */
export const START_CHECK_DEADLINE_MS = 10_000;

/** Thrown when the folder has reached its limit. */
export class SpoolFullError extends Error {
  constructor(readonly limitBytes: number) {
    super(`The spool is full (${limitBytes} bytes)`);
    this.name = 'SpoolFullError';
  }
}

/**
 * Tracks the used space of the folder across all processes: its size at the last listing plus what this process has
 * written since. Listings run in parallel with appends, which never wait for them.
 */
export class SpoolSpace {
  private listedBytes = 0;
  private writtenSince = 0;
  private damaged = 0;
  private check: Promise<void> | undefined;
  private listing: Promise<FolderListing> | undefined;
  private listedAt = -Infinity;

  constructor(
    private readonly directory: string,
    readonly limitBytes: number,
  ) {}

  get bytes(): number {
    return this.listedBytes + this.writtenSince;
  }

  /** True when no more entries fit. */
  get isFull(): boolean {
    return this.bytes >= this.limitBytes;
  }

  get damagedSegments(): number {
    return this.damaged;
  }

  /** @throws SpoolFullError when this many bytes no longer fit */
  require(bytes: number): void {
    if (this.bytes + bytes <= this.limitBytes) return;
    if (performance.now() - this.listedAt > RECHECK_MS) this.refresh();
    throw new SpoolFullError(this.limitBytes);
  }

  /**
   * One check at a time: while a disk does not respond, each holds one of the few threads that also look up hosts.
   * @throws the file system's error when no process of this account can write into the folder, and DeadlineError when
   * the disk does not respond
   */
  requireWritable(deadlineMs = CHECK_DEADLINE_MS): Promise<void> {
    this.check ??= this.checkWritable().finally(() => (this.check = undefined));
    return withDeadline(deadlineMs, this.check);
  }

  private async checkWritable(): Promise<void> {
    await makeFolder(this.directory);
    await access(this.directory, constants.W_OK);
  }

  wrote(bytes: number): void {
    this.writtenSince += bytes;
  }

  freed(bytes: number): void {
    this.listedBytes = Math.max(0, this.listedBytes - bytes);
  }

  /** Lists the folder, or joins a running listing. */
  list(): Promise<FolderListing> {
    this.listing ??= this.listNow().finally(() => (this.listing = undefined));
    return this.listing;
  }

  /** Lists the folder in the background. An error is ignored here: reading entries hits it again and reports it. */
  refresh(): void {
    this.list().catch(() => undefined);
  }

  /** Resolves when the running listing has ended. */
  async settled(): Promise<void> {
    await this.listing?.catch(() => undefined);
  }

  private async listNow(): Promise<FolderListing> {
    const writtenBefore = this.writtenSince;
    const listing = await listFolder(this.directory).finally(() => (this.listedAt = performance.now()));
    this.listedBytes = listing.bytes;
    // Bytes that were written during the listing may or may not be in it: counting them twice is the safe choice.
    this.writtenSince -= writtenBefore;
    this.damaged = listing.damaged;
    return listing;
  }
}
