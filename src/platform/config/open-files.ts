import { readFileSync } from 'node:fs';
import type { Settings } from './settings.js';

/** For programs, logs, the spool, and connections to Postgres, Redis, providers and receivers of webhooks. */
const OTHER_FILES = 200;

/**
 * Returns a sentence if the operating system lets this process open fewer connections than its settings allow. Beyond that
 * limit, a client gets no response, and neither the spool nor a lost connection to Postgres can be opened.
 */
export function openFilesWarnings(
  { ROLES, MAX_CONNECTIONS }: Pick<Settings, 'ROLES' | 'MAX_CONNECTIONS'>,
  limit = openFilesLimit(),
): string[] {
  const serves = ROLES.includes('api') || ROLES.includes('tracking');
  const wanted = OTHER_FILES + (serves ? MAX_CONNECTIONS : 0);
  if (limit >= wanted) return [];
  const remedy = `raise it to ${wanted} (ulimit -n, or LimitNOFILE of systemd)`;
  const alternative = serves && limit > OTHER_FILES ? `, or set MAX_CONNECTIONS to ${limit - OTHER_FILES}` : '';
  return [`This process may have only ${limit} files and connections open: ${remedy}${alternative}`];
}

/** Node has raised the soft limit to the hard one. Only Linux has this file. */
function openFilesLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(limit ?? Infinity);
  } catch {
    return Infinity;
  }
}
