import type { Database } from '../../platform/database/database.js';
import { uncountManyEmails } from '../delivery/uncount-many-emails.js';
import { reportSettled } from './report-settled.js';
import { canceledEmails } from './canceled-emails.sql.js';

/** Emails per transaction. */
const BATCH = 2_000;
/** Transactions at the same time; they never wait for each other's emails. */
const STREAMS = 2;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Emails that a worker is sending stay: exactly one of the two statements gets an email. $1: organization, $2: the last
 * ID of the batch before, so that no batch walks over the rows that earlier ones have deleted.
 * @param ofBroadcast SQL condition for the broadcast of a pending row `p`
 */
const cancel = (ofBroadcast: string): string => `
with free as (
  select p.email_id from pending_emails p
   where p.organization_id = $1 and p.email_id > $2 and ${ofBroadcast} and p.lease_token is null
   order by p.email_id limit ${BATCH} for update skip locked
), ${canceledEmails('e.id, e.contact_ids, e.campaign_id, e.broadcast_id, e.status')}, uncounted as (
  select id, contact_ids, campaign_id from email where status <> 'sent'
), recipient as (
  select c.id, e.campaign_id from uncounted e cross join unnest(e.contact_ids) as c (id)
), of_broadcast as (
  update broadcasts b set canceled = b.canceled + e.emails
    from (select broadcast_id, count(*) as emails from email where status = 'canceled' group by broadcast_id) as e
   where b.id = e.broadcast_id
)
select (select max(id::text) from email) as last,
       (select count(*)::integer from email where status = 'canceled') as emails,
       array(select id from email where status <> 'canceled') as "settledIds",
       array(select id from uncounted) as "emailIds",
       array(select id from recipient) as "contactIds",
       array(select id from recipient where campaign_id is not null) as "memberContactIds",
       array(select campaign_id from recipient where campaign_id is not null) as "memberCampaignIds",
       array(select campaign_id from uncounted where campaign_id is not null) as "campaignIds"`;

const CANCEL = cancel('p.broadcast_id is null');
/** $3: a broadcast, which the transaction has locked before. */
const CANCEL_RETRIED = cancel('p.broadcast_id = $3');

/** Broadcasts that were sent and whose failed emails were retried: few. The steps of all others cancel their emails. */
const RETRIED = `
select b.id from broadcasts b
 where b.organization_id = $1 and b.status = 'sent' and exists (
   select from pending_emails p where p.broadcast_id = b.id and p.lease_token is null)
 order by b.id`;
const LOCK_BROADCAST = 'select from broadcasts where id = $1 for no key update';

interface Batch {
  readonly last: string | null;
  readonly emails: number;
  /** Emails that may have reached somebody: they failed, or were sent. */
  readonly settledIds: string[];
  readonly emailIds: string[];
  readonly contactIds: string[];
  readonly memberContactIds: string[];
  readonly memberCampaignIds: string[];
  readonly campaignIds: string[];
  readonly [column: string]: unknown;
}

/**
 * Cancels all queued and scheduled emails of an organization that no worker has claimed, except those of broadcasts
 * under way, which their steps cancel. They no longer count for campaigns and contacts. Those that may have reached
 * somebody fail, and those that have count as sent. A crash loses no count: each batch is a transaction.
 * @returns how many were canceled
 */
export async function cancelManyEmails(database: Database, organizationId: string): Promise<number> {
  const streams = Array.from({ length: STREAMS }, () => cancelInBatches(database, organizationId, null));
  let canceled = (await Promise.all(streams)).reduce((sum, count) => sum + count, 0);
  const retried = await database.query<{ id: string }>(RETRIED, [organizationId]);
  for (const { id } of retried) canceled += await cancelInBatches(database, organizationId, id);
  return canceled;
}

async function cancelInBatches(
  database: Database,
  organizationId: string,
  broadcastId: string | null,
): Promise<number> {
  let canceled = 0;
  for (let after: string | null = FIRST_ID; after !== null;) {
    const batch = await cancelBatch(database, [organizationId, after], broadcastId);
    canceled += batch.emails;
    after = batch.last;
  }
  return canceled;
}

function cancelBatch(database: Database, values: readonly string[], broadcastId: string | null): Promise<Batch> {
  return database.transaction(async (sql) => {
    if (broadcastId !== null) await sql.query(LOCK_BROADCAST, [broadcastId]);
    const [batch] =
      broadcastId === null
        ? await sql.query<Batch>(CANCEL, values)
        : await sql.query<Batch>(CANCEL_RETRIED, [...values, broadcastId]);
    if (batch!.last !== null) await uncountManyEmails(sql, batch!);
    await reportSettled(sql, batch!.settledIds);
    return batch!;
  });
}
