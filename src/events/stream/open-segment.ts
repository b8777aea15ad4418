import { open, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ignoreMissing, isMissing, makeFolder } from './spool-folder.js';

/** The error when the disk wrote nothing and earlier data is intact. */
const NO_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The segment to which a process appends. */
export class OpenSegment {
  private writtenBytes = 0;

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  /** Creates the file, and its folder if necessary. */
  static async create(path: string): Promise<OpenSegment> {
    await makeFolder(dirname(path));
    return new OpenSegment(path, await open(path, 'ax', 0o600));
  }

  /** Bytes of complete records. */
  get bytes(): number {
    return this.writtenBytes;
  }

  /**
   * Resolves when the record is on disk. A file is durable only when its directory entry is. The first record syncs
   * both in parallel, because each sync is slow on a busy disk.
   */
  async append(record: Buffer): Promise<void> {
    await this.handle.appendFile(record);
    await Promise.all([this.handle.datasync(), this.writtenBytes === 0 && this.syncFolder()]);
    this.writtenBytes += record.length;
  }

  /**
   * Undoes a partial write.
   * @returns whether more may be appended; otherwise the segment is closed, and removed if it contains no complete
   * record
   */
  async recover(error: unknown): Promise<boolean> {
    if (this.writtenBytes === 0) {
      await this.discard();
      return false;
    }
    if (NO_SPACE.has(String((error as NodeJS.ErrnoException).code)) && (await this.truncated())) return true;
    await this.close();
    return false;
  }

  /** False once another process has renamed the file to replay it: later writes would never be read. */
  async isInPlace(): Promise<boolean> {
    try {
      await stat(this.path);
      return true;
    } catch (error) {
      if (!isMissing(error)) throw error;
      return false;
    }
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  private async discard(): Promise<void> {
    await this.close().finally(() => unlink(this.path).catch(ignoreMissing));
  }

  private truncated(): Promise<boolean> {
    return this.handle.truncate(this.writtenBytes).then(
      () => true,
      () => false,
    );
  }

  private async syncFolder(): Promise<void> {
    const folder = await open(dirname(this.path), 'r');
    await folder.sync().finally(() => folder.close());
  }
}
