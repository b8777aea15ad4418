import { readFileSync } from 'node:fs';
import type { Settings } from './settings.js';

/** For programs, logs, the spool, and connections to Postgres, Redis, providers and receivers of webhooks. */
const OTHER_FILES = 200;
/** The least that MAX_CONNECTIONS can be. */
const FEWEST_CONNECTIONS = 10;

type ServingSettings = Pick<Settings, 'ROLES' | 'MAX_CONNECTIONS'>;

/**
 * Lowers MAX_CONNECTIONS to what the operating system lets this process open. Otherwise idle clients could take the
 * last file, and then neither the spool nor a connection to Postgres can be opened.
 */
export function withinOpenFiles<Given extends ServingSettings>(settings: Given, limit = openFilesLimit()): Given {
  const possible = Math.max(FEWEST_CONNECTIONS, limit - OTHER_FILES);
  return { ...settings, MAX_CONNECTIONS: Math.min(settings.MAX_CONNECTIONS, possible) };
}

/** Returns a sentence if the operating system lets this process open fewer files than its settings, as given, need. */
export function openFilesWarnings(settings: ServingSettings, limit = openFilesLimit()): string[] {
  const { ROLES, MAX_CONNECTIONS } = settings;
  const serves = ROLES.includes('api') || ROLES.includes('tracking');
  const wanted = OTHER_FILES + (serves ? MAX_CONNECTIONS : 0);
  if (limit >= wanted) return [];
  const possible = withinOpenFiles(settings, limit).MAX_CONNECTIONS;
  const consequence = serves ? `, so it serves ${possible} connections instead of ${MAX_CONNECTIONS}` : '';
  const remedy = `raise that limit to ${wanted} (ulimit -n, or LimitNOFILE of systemd)`;
  return [`This process may have only ${limit} files and connections open${consequence}: ${remedy}`];
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
