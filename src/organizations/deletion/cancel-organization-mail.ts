import { setTimeout } from 'node:timers/promises';
import { cancelBroadcasts } from '../../broadcasts/cancel-broadcasts.js';
import { cancelManyEmails, type CancelPace } from '../../emails/schedule/cancel-many-emails.js';
import type { Database, Sql } from '../../platform/database/database.js';

/** Processes cache keys for a few seconds, so an organization may send for this long after it was stopped. */
const KEYS_KNOWN_MS = 5_000;
/**
 * Workers continue a cancellation whose command has recorded no progress for this long, or has ended. By then, a
 * transaction that began before the suspension has ended, unless several of its statements waited for locks: each may
 * take 15 seconds.
 */
const SILENCE_SECONDS = 30;
const KEEP_MS = 5_000;
/** How long until workers check again for mail that was being sent. */
const BUSY_SECONDS = 5;

export interface CanceledMail {
  readonly emails: number;
  readonly broadcasts: number;
}

const REQUEST = `
update sending_guards set cancel_step_at = now() + interval '${SILENCE_SECONDS} s' where organization_id = $1`;

const RENEW = `${REQUEST} and cancel_step_at is not null`;

/** Takes a cancellation that is due. The organization must still be stopped: an older build may have resumed it. */
const TAKE = `
update sending_guards set cancel_step_at = now() + interval '${SILENCE_SECONDS} s'
 where organization_id = (
   select organization_id from sending_guards where cancel_step_at <= now() and suspended
    order by cancel_step_at limit 1 for update skip locked)
returning organization_id as id`;

/**
 * Ends a cancellation unless mail is left: mail that workers hold, which may return to the queue, or mail from a run
 * that broke off.
 */
const FINISH_OR_RESCHEDULE = `
update sending_guards
   set cancel_step_at = case when exists (
     select from pending_emails p left join broadcasts b on b.id = p.broadcast_id
      where p.organization_id = $1 and (b.id is null or b.status = 'sent')
   ) then date_trunc('milliseconds', now()) + $2::float8 * interval '1 s' end
 where organization_id = $1 and cancel_step_at is not null`;

/**
 * Requests the cancellation of all mail of an organization. From its commit on, workers finish the cancellation even if
 * the caller does not, and the organization cannot be resumed until then.
 * @param sql the transaction that suspends it
 */
export async function requestCancellation(sql: Sql, organizationId: string): Promise<void> {
  await sql.query(REQUEST, [organizationId]);
}

/**
 * Cancels everything that an organization has queued, scheduled or is broadcasting. The organization must already be
 * stopped, so that no worker claims its mail. Takes at least five seconds, because emails may still be accepted for
 * that long. A requested cancellation stays open for a last pass of workers.
 * @param report is called after each batch with the number of emails canceled so far
 */
export async function cancelOrganizationMail(
  database: Database,
  organizationId: string,
  report: (emails: number) => void = () => undefined,
): Promise<CanceledMail> {
  const stoppedAt = performance.now();
  let keptAt = stoppedAt;
  let canceled = 0;
  const afterBatch = async (emails: number): Promise<boolean> => {
    report((canceled += emails));
    if (performance.now() - keptAt > KEEP_MS) {
      keptAt = performance.now();
      await database.query(RENEW, [organizationId]);
    }
    return true;
  };
  const pace: CancelPace = { streams: 2, afterBatch };
  const first = await cancelOnce(database, organizationId, pace);
  await setTimeout(Math.max(0, stoppedAt + KEYS_KNOWN_MS - performance.now()));
  const last = await cancelOnce(database, organizationId, pace);
  await database.query(RENEW, [organizationId]);
  return { emails: first.emails + last.emails, broadcasts: first.broadcasts + last.broadcasts };
}

/**
 * Continues one cancellation whose command has ended, or that waits for mail that workers were sending.
 * @param mayContinue called after each batch
 * @returns false when none is due
 */
export async function continueCancellation(database: Database, mayContinue: () => boolean): Promise<boolean> {
  const [due] = await database.prepared<{ id: string }>('take-cancellation', TAKE, []);
  if (!due) return false;
  await cancelOnce(database, due.id, { streams: 1, afterBatch: async () => mayContinue() });
  await database.query(FINISH_OR_RESCHEDULE, [due.id, mayContinue() ? BUSY_SECONDS : 0]);
  return mayContinue();
}

async function cancelOnce(database: Database, organizationId: string, pace: CancelPace): Promise<CanceledMail> {
  // Broadcasts come first, so that their steps create no further emails.
  const broadcasts = await cancelBroadcasts(database, organizationId);
  return { broadcasts, emails: await cancelManyEmails(database, organizationId, pace) };
}
