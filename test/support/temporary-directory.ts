import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `work` with a new folder, which has a space in its path as many users' folders have, and removes it. */
export async function inTemporaryDirectory<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'mailbeacon test '));
  // Servers that root starts run under another account and must be able to pass through.
  await chmod(directory, 0o711);
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
