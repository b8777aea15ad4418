import type { Dirent } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export const OPEN_SEGMENT = '.spool';
export const CLAIMED_SEGMENT = '.replaying';
export const DAMAGED_SEGMENT = '.damaged';

/** The contents of a spool folder. */
export interface FolderListing {
  /** Size of all files, of every process. */
  readonly bytes: number;
  /** The files to replay, already claimed ones first. */
  readonly segments: readonly string[];
  /** Number of quarantined files, which are partly unreadable. */
  readonly damaged: number;
}

/**
 * Creates the folder if necessary. Reads file sizes one by one, so that appends never queue behind thousands of them.
 */
export async function listFolder(directory: string): Promise<FolderListing> {
  const files = (await entriesIn(directory)).filter((entry) => entry.isFile());
  const names = files.map(({ name }) => name).sort();
  let bytes = 0;
  for (const name of names) bytes += await sizeOf(join(directory, name));
  const ending = (suffix: string) => names.filter((name) => name.endsWith(suffix));
  return {
    bytes,
    segments: [...ending(CLAIMED_SEGMENT), ...ending(OPEN_SEGMENT)],
    damaged: ending(DAMAGED_SEGMENT).length,
  };
}

async function entriesIn(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    ignoreMissing(error);
    await makeFolder(directory);
    return [];
  }
}

/**
 * Creates the folder and its parents if necessary. With `recursive`, `mkdir` of Node never returns where nobody can
 * create a folder, such as in /proc, and holds one of the few threads that also look up hosts.
 */
export async function makeFolder(directory: string): Promise<void> {
  try {
    await makeOneFolder(directory);
  } catch (error) {
    const parent = dirname(directory);
    if (!isMissing(error) || parent === directory) throw error;
    await makeFolder(parent);
    await makeOneFolder(directory);
  }
}

async function makeOneFolder(directory: string): Promise<void> {
  try {
    await mkdir(directory);
  } catch (error) {
    const existing = await stat(directory).catch(() => undefined);
    if (!existing?.isDirectory()) throw error;
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

/** True when another process has renamed or removed the file. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

export function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
