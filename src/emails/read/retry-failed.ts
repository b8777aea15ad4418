import type { Sql } from '../../platform/database/database.js';
import { NIL_UUID } from '../../platform/database/nil-uuid.js';
import { IS_UNSENDABLE } from '../content-retention.js';
import { RETRY } from './retry-statement.js';

/** Emails per statement and transaction. */
const BATCH = 200;

/** Which failed emails to queue again. */
export interface FailedEmails {
  /** Those that failed at this time or later. */
  readonly since: Date;
  /** Those that failed before this time. */
  readonly until: Date;
  /** Null for all organizations. */
  readonly organizationId: string | null;
}

/** $1 since, $2 until, $3 organization. A time of Postgres is finer than the milliseconds of a Date. */
const IS_CHOSEN = 'e.failed_at >= $1 and e.failed_at < $2 and ($3::uuid is null or e.organization_id = $3)';

const COUNT = `
select o.id, o.name, count(*) filter (where r.is_open)::integer as emails,
       count(*) filter (where not r.is_open)::integer as "staysFailed"
  from emails e join organizations o on o.id = e.organization_id
  cross join lateral (
    select not exists (select from email_contents c where c.email_id = e.id and ${IS_UNSENDABLE})
       and not exists (select from campaigns c where c.id = e.campaign_id and c.archived_at is not null)
       and not exists (select from broadcasts b where b.id = e.broadcast_id and b.status = 'canceled') as is_open
  ) r
 where ${IS_CHOSEN}
 group by o.id order by 3 desc, o.id`;

const NEXT = `
select e.id, e.organization_id from emails e
 where ${IS_CHOSEN} and (e.organization_id, e.id) > ($4::uuid, $5::uuid)
 order by e.organization_id, e.id limit ${BATCH}`;

/** What `retryFailed` would queue of one organization. */
export interface FailedOfOrganization {
  readonly id: string;
  readonly name: string;
  readonly emails: number;
  readonly staysFailed: number;
}

/** The time until which emails have failed by now, for a preview and a retry of the same emails. */
export async function failedByNow(sql: Sql): Promise<Date> {
  const [row] = await sql.query<{ at: Date }>(`select now() + interval '1 millisecond' as at`);
  return row!.at;
}

/** Counts what `retryFailed` would queue and leave, by organization; those with the most emails first. */
export function countFailed(sql: Sql, { since, until, organizationId }: FailedEmails): Promise<FailedOfOrganization[]> {
  return sql.query<FailedOfOrganization & Record<string, unknown>>(COUNT, [since, until, organizationId]);
}

/**
 * Queues failed emails again, in batches. Emails that fail again during the run are skipped. It may be interrupted and
 * repeated.
 * @returns how many were queued, and how many stay failed: their campaign is archived, their broadcast canceled, their
 * recipient or content deleted, or another process queued them first
 */
export async function retryFailed(
  sql: Sql,
  { since, until, organizationId }: FailedEmails,
): Promise<{ retried: number; notRetried: number }> {
  const outcome = { retried: 0, notRetried: 0 };
  let cursor = [NIL_UUID, NIL_UUID];
  for (;;) {
    const values = [since, until, organizationId, ...cursor];
    const emails = await sql.query<{ id: string; organization_id: string }>(NEXT, values);
    if (emails.length === 0) return outcome;
    const retried = await sql.query(RETRY, [emails.map(({ id }) => id), organizationId, false]);
    outcome.retried += retried.length;
    outcome.notRetried += emails.length - retried.length;
    const { organization_id, id } = emails.at(-1)!;
    cursor = [organization_id, id];
  }
}
