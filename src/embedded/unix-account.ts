import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { EmbeddedServiceError } from './embedded-service-error.js';

/** A system account with its numeric IDs. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * The account that servers run under if root starts them, because PostgreSQL refuses to run as root.
 * @throws EmbeddedServiceError if the system has no such account
 */
export function unprivilegedAccount(): Account {
  const fields = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'nobody');
  if (!fields) throw new EmbeddedServiceError('The embedded servers need the account "nobody" when started by root');
  return { uid: Number(fields[2]) >>> 0, gid: Number(fields[3]) >>> 0 };
}

/** Whether the account can enter a folder. Tries it, because file modes alone are not conclusive. */
export function canEnter(directory: string, account: Account): boolean {
  return succeedsAs(account, 'cd "$1"', directory);
}

/** Whether the account can enter a folder and write to it. */
export function canWriteInto(directory: string, account: Account): boolean {
  return succeedsAs(account, 'cd "$1" && test -w .', directory);
}

function succeedsAs(account: Account, script: string, directory: string): boolean {
  return spawnSync('/bin/sh', ['-c', script, 'sh', directory], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
}
