import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file system of a few megabytes that can be filled up. Only root can mount one. */
export class SmallDisk {
  private constructor(readonly path: string) {}

  static async mount(megabytes: number): Promise<SmallDisk> {
    const path = await mkdtemp(join(tmpdir(), 'mailbeacon-disk-'));
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'tmpfs', path]);
    return new SmallDisk(path);
  }

  static missingRequirement(): string | undefined {
    return process.platform === 'linux' && process.getuid?.() === 0 ? undefined : 'only root can mount a small disk';
  }

  /** A folder on it that every user may write to. */
  async folder(name: string): Promise<string> {
    const path = join(this.path, name);
    await mkdir(path, { recursive: true });
    await chmod(path, 0o777);
    return path;
  }

  /** Uses all free space, to the last byte. */
  async fill(): Promise<void> {
    let bytes = 1024 * 1024;
    for (let number = 0; bytes >= 1; number++) {
      const wasWritten = await writeFile(join(this.path, `ballast-${number}`), Buffer.alloc(bytes, 1)).then(
        () => true,
        () => false,
      );
      if (!wasWritten) bytes = Math.floor(bytes / 16);
    }
  }

  /** Frees what `fill` used. */
  async clear(): Promise<void> {
    await run('find', [this.path, '-maxdepth', '1', '-name', 'ballast-*', '-delete']);
  }

  async remove(): Promise<void> {
    await run('umount', ['--lazy', this.path]);
    await rm(this.path, { recursive: true, force: true });
  }
}
