import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export const OPEN_SEGMENT = '.spool';
export const CLAIMED_SEGMENT = '.replaying';
export const DAMAGED_SEGMENT = '.damaged';

/** What lies in a spool folder. */
export interface FolderListing {
  /** Of all files together, whoever wrote them. */
  readonly bytes: number;
  /** The files that hold entries to replay, those first that somebody has begun to replay. */
  readonly segments: readonly string[];
  /** How many files were set aside because part of them is unreadable. */
  readonly damaged: number;
}

/** Makes the folder if need be. One file is looked at after another, so that appends never queue behind thousands. */
export async function listFolder(directory: string): Promise<FolderListing> {
  await mkdir(directory, { recursive: true });
  const files = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isFile());
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

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    ignoreMissing(error);
    return 0;
  }
}

/** Another process has renamed or removed the file. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

export function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
