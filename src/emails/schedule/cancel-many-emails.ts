import type { Database } from '../../platform/database/database.js';
import { uncountManyEmails } from '../delivery/uncount-many-emails.js';
import { cancelEmail } from './cancel-email.js';
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
 */
const CANCEL = `
with free as (
  select p.email_id from pending_emails p
   where p.organization_id = $1 and p.email_id > $2 and p.broadcast_id is null and p.lease_token is null
   order by p.email_id limit ${BATCH} for update skip locked
), ${canceledEmails('e.id, e.contact_ids, e.campaign_id, e.status')}, uncounted as (
  select id, contact_ids, campaign_id from email where status <> 'sent'
), recipient as (
  select c.id, e.campaign_id from uncounted e cross join unnest(e.contact_ids) as c (id)
)
select (select max(id::text) from email) as last,
       (select count(*)::integer from email where status = 'canceled') as emails,
       array(select id from email where status <> 'canceled') as "settledIds",
       array(select id from uncounted) as "emailIds",
       array(select id from recipient) as "contactIds",
       array(select id from recipient where campaign_id is not null) as "memberContactIds",
       array(select campaign_id from recipient where campaign_id is not null) as "memberCampaignIds",
       array(select campaign_id from uncounted where campaign_id is not null) as "campaignIds"`;

/** Emails of broadcasts that were sent and whose failed emails were retried: few, and each locks its broadcast first. */
const RETRIED = `
select p.email_id as id from pending_emails p join broadcasts b on b.id = p.broadcast_id
 where p.organization_id = $1 and p.email_id > $2 and p.lease_token is null and b.status = 'sent'
 order by p.email_id limit ${BATCH}`;

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
  const streams = Array.from({ length: STREAMS }, () => cancelInBatches(database, organizationId));
  const canceled = await Promise.all(streams);
  return canceled.reduce((sum, count) => sum + count, await cancelRetried(database, organizationId));
}

async function cancelInBatches(database: Database, organizationId: string): Promise<number> {
  let canceled = 0;
  for (let after: string | null = FIRST_ID; after !== null;) {
    const batch = await cancelBatch(database, organizationId, after);
    canceled += batch.emails;
    after = batch.last;
  }
  return canceled;
}

function cancelBatch(database: Database, organizationId: string, after: string): Promise<Batch> {
  return database.transaction(async (sql) => {
    const [batch] = await sql.query<Batch>(CANCEL, [organizationId, after]);
    if (batch!.last !== null) await uncountManyEmails(sql, batch!);
    await reportSettled(sql, batch!.settledIds);
    return batch!;
  });
}

async function cancelRetried(database: Database, organizationId: string): Promise<number> {
  let canceled = 0;
  let after = FIRST_ID;
  for (;;) {
    const emails = await database.query<{ id: string }>(RETRIED, [organizationId, after]);
    for (const { id } of emails) if (await cancelEmail(database, id)) canceled++;
    if (emails.length < BATCH) return canceled;
    after = emails.at(-1)!.id;
  }
}
