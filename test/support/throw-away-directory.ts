import { constants } from 'node:fs';
import { access, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** More than the data and the WAL of a test run's servers ever take. */
const ENOUGH_BYTES = 3 * 1024 ** 3;

/**
 * Makes a folder for the data of a test's servers, in memory where the machine has a file system for that. A database
 * is 400 files: creating and removing them on a disk takes more processor time than copying their content.
 * @param prefix of its name
 */
export async function makeThrowAwayDirectory(prefix: string): Promise<string> {
  return mkdtemp(join((await hasRoomInMemory()) ? MEMORY : tmpdir(), prefix));
}

async function hasRoomInMemory(): Promise<boolean> {
  try {
    await access(MEMORY, constants.W_OK);
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
