import { mkdir, open, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ignoreMissing, isMissing } from './spool-folder.js';

/** The disk took nothing, and nothing that it had before is in doubt. */
const NO_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The segment that a process appends to. */
export class OpenSegment {
  private writtenBytes = 0;

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  /** Makes the file, and its folder if need be. */
  static async create(path: string): Promise<OpenSegment> {
    await mkdir(dirname(path), { recursive: true });
    return new OpenSegment(path, await open(path, 'ax', 0o600));
  }

  /** Bytes of whole records. */
  get bytes(): number {
    return this.writtenBytes;
  }

  /**
   * Resolves when the record is on disk. A file is durable only when its name is, too: with the first record, both are
   * written at once, for a busy disk takes its time over each.
   */
  async append(record: Buffer): Promise<void> {
    await this.handle.appendFile(record);
    await Promise.all([this.handle.datasync(), this.writtenBytes === 0 && this.syncFolder()]);
    this.writtenBytes += record.length;
  }

  /**
   * Takes back a record that failed halfway.
   * @returns whether more may be appended; otherwise the segment is closed, and removed when nothing whole is in it
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

  /** False once another process has renamed the file to replay it: what is written then is read by nobody. */
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
