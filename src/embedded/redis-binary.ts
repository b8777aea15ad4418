import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['redis-server', 'valkey-server'] as const;
/** Streams with XAUTOCLAIM, and GETEX: what we use appeared in 6.2. */
const OLDEST = [6, 2] as const;

/** The first redis-server or valkey-server on the PATH that is new enough, or undefined. */
export function findRedisBinary(path = process.env['PATH'] ?? ''): string | undefined {
  return path
    .split(delimiter)
    .filter((directory) => directory !== '')
    .flatMap((directory) => NAMES.map((name) => join(directory, name)))
    .find((file) => isExecutable(file) && isNewEnough(file));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Prints as "Redis server v=7.0.15 …" and "Valkey server v=8.0.1 …". */
function isNewEnough(file: string): boolean {
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
  const version = /\bv=(\d+)\.(\d+)/.exec(stdout ?? '');
  if (!version) return false;
  const [major, minor] = [Number(version[1]), Number(version[2])];
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}
