import { spawnSync } from 'node:child_process';
import { serverEnvironment } from './server-process.js';

/** Whether a program with this name is on the PATH. */
export function isOnPath(program: string): boolean {
  const options = { stdio: 'ignore', env: serverEnvironment() } as const;
  return spawnSync('/bin/sh', ['-c', `command -v ${program}`], options).status === 0;
}
