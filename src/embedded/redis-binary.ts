import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['redis-server', 'valkey-server'] as const;
/** Minimum version: XAUTOCLAIM and GETEX appeared in 6.2. */
const MIN_VERSION = [6, 2] as const;

/** Returns the first redis-server or valkey-server on the PATH that is new enough, or undefined. */
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

/** Parses output such as "Redis server v=7.0.15 …" and "Valkey server v=8.0.1 …". */
function isNewEnough(file: string): boolean {
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
  const version = /\bv=(\d+)\.(\d+)/.exec(stdout ?? '');
  if (!version) return false;
  const [major, minor] = [Number(version[1]), Number(version[2])];
  return major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]);
}
