import { setTimeout } from 'node:timers/promises';
import { cancelBroadcasts } from '../../broadcasts/broadcast-moves.js';
import { cancelManyEmails } from '../../emails/schedule/cancel-many-emails.js';
import type { Database } from '../../platform/database/database.js';

/** Processes keep keys for a few seconds, so an organization may send for this long after it was stopped. */
const KEYS_KNOWN_MS = 5_000;

export interface CanceledMail {
  readonly emails: number;
  readonly broadcasts: number;
}

/**
 * Cancels everything that an organization has queued, scheduled or is broadcasting. It must be stopped before: then
 * nothing is claimed meanwhile. Takes at least five seconds, because the last emails may come until then.
 */
export async function cancelOrganizationMail(database: Database, organizationId: string): Promise<CanceledMail> {
  const stoppedAt = performance.now();
  const first = await cancelOnce(database, organizationId);
  await setTimeout(Math.max(0, stoppedAt + KEYS_KNOWN_MS - performance.now()));
  const last = await cancelOnce(database, organizationId);
  return { emails: first.emails + last.emails, broadcasts: first.broadcasts + last.broadcasts };
}

async function cancelOnce(database: Database, organizationId: string): Promise<CanceledMail> {
  // Broadcasts first: their steps make no further emails then.
  const broadcasts = await cancelBroadcasts(database, organizationId);
  return { broadcasts, emails: await cancelManyEmails(database, organizationId) };
}
