import { constants } from 'node:fs';
import { access, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** More than the servers of a test run and their logs of changes ever take. */
const ENOUGH_BYTES = 3 * 1024 ** 3;

/**
 * Makes a folder for the data of a test's servers: in memory where the machine has such a place. A database is 400
 * files, and to make and to remove them on a disk takes more processor time than to copy what is in them.
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
