import { deleteDeadLettersOf } from '../../events/dead-letters/dead-letters-of-organization.js';
import type { Sql } from '../../platform/database/database.js';

/** One batch of one table, including rows that are deleted by cascade. */
interface BatchStep {
  readonly name: string;
  /**
   * $1: organization, $2: the last key of the batch before, or an empty text. Returns `last`, the last key of this
   * batch (null without rows), so that no batch reads the rows that earlier ones have deleted.
   */
  readonly sql: string;
  /** Finds rows that other processes still need. Later steps wait until there are none. $1: organization. */
  readonly left?: string;
}

/** A walk over rows of all organizations. An empty page does not mean that nothing is left. */
interface WalkStep {
  readonly name: string;
  /** Returns where the page ended, or null after the last one. */
  readonly walk: (sql: Sql, organizationId: string, after: string) => Promise<string | null>;
}

export type DeletionStep = BatchStep | WalkStep;

/** Rows per transaction: few, so that each is short and other work runs in between. */
const ROWS = 200;
/** They have no texts, and an email that machines hit for days has millions. */
const SUMS = 5_000;
/** An attachment can have megabytes. */
const WIDE_ROWS = 20;

/**
 * The order matters: once its emails are deleted, nothing adds to the other tables; events belong to contacts. Tables
 * that are not listed have few rows per organization, which are deleted by cascade with the row of the organization.
 */
export const DELETION_STEPS: readonly DeletionStep[] = [
  {
    name: 'webhook deliveries',
    sql: `with gone as (
      delete from webhook_deliveries where id = any(array(
        select d.id from webhook_endpoints w join webhook_deliveries d on d.endpoint_id = w.id
         where w.organization_id = $1 and $2::text is not null limit ${ROWS})) returning id
    ) select max(id::text) as last from gone`,
  },
  // Comes before the emails, which show the organization of a dead letter.
  { name: 'dead letters', walk: deleteDeadLettersOf },
  {
    // A worker that holds a lease is about to record the outcome of the email, which adds an event to its contacts.
    // With more sums than one batch, emails stay, and the next batch begins with them.
    name: 'emails',
    left: 'select from emails where organization_id = $1 limit 1',
    sql: `with batch as materialized (
      select e.id, e.tracking_id from emails e left join pending_emails p on p.email_id = e.id
       where e.organization_id = $1 and ($2 = '' or e.id > nullif($2, '')::uuid)
         and (p.lease_token is null or p.lease_until < now())
       order by e.id limit ${ROWS}
    ), past as materialized (
      select s.id from batch join event_sums s on s.email_id = batch.id limit ${SUMS}
    ), sums as (
      delete from event_sums where id = any(array(select id from past))
    ), doomed as materialized (
      select * from batch where (select count(*) from past) < ${SUMS}
    ), gone as (
      delete from emails where id = any(array(select id from doomed)) returning id
    ), blocks as (
      delete from blocked_links where kind = 'email' and value = any(array(select tracking_id from doomed))
    ), canceled as (
      delete from canceled_emails where organization_id = $1 and email_id = any(array(select id from doomed))
    ), forgotten as (
      insert into event_store_changes (email) select tracking_id from doomed where exists (select from event_store)
    ) select coalesce((select max(id::text) from gone), (select $2 from batch limit 1)) as last`,
  },
  {
    name: 'reports about recipients',
    sql: `with doomed as materialized (
      select id, occurred_at from delivery_events where organization_id = $1 and $2::text is not null limit ${ROWS}
    ), gone as (
      delete from delivery_events d using doomed where d.id = doomed.id and d.occurred_at = doomed.occurred_at
      returning d.id
    ) select max(id::text) as last from gone`,
  },
  contactsOf(
    'contacts',
    `select id, address_key from contacts where organization_id = $1 and address_key >= $2 order by address_key
      limit ${ROWS}`,
  ),
  // The contact of a person who is being erased has no organization. The lock comes first, as in a step of the erasure.
  contactsOf(
    'contacts under erasure',
    `select c.id, c.address_key from contact_erasures x join contacts c on c.id = x.contact_id
      where x.organization_id = $1 and $2::text is not null order by c.id limit ${ROWS} for update of c`,
  ),
  {
    name: 'recipients of broadcasts',
    sql: `with gone as (
      delete from broadcast_recipients r using (
        select r.broadcast_id, r.address_key from broadcasts b join broadcast_recipients r on r.broadcast_id = b.id
         where b.organization_id = $1 and $2::text is not null limit ${ROWS * 4}) doomed
       where r.broadcast_id = doomed.broadcast_id and r.address_key = doomed.address_key returning r.address_key
    ) select max(address_key) as last from gone`,
  },
  {
    name: 'links of campaigns',
    sql: `with gone as (
      delete from campaign_links l using (
        select l.campaign_id, l.url_hash from campaigns c join campaign_links l on l.campaign_id = c.id
         where c.organization_id = $1 and $2::text is not null limit ${ROWS}) doomed
       where l.campaign_id = doomed.campaign_id and l.url_hash = doomed.url_hash returning l.campaign_id
    ) select max(campaign_id::text) as last from gone`,
  },
  ofOrganization('broadcasts', ROWS),
  ofOrganization('messages', WIDE_ROWS),
  ofOrganization('hourly_stats', ROWS),
  ofOrganization('stat_deltas', ROWS),
  ofOrganization('campaigns', ROWS),
  ofOrganization('suppressions', ROWS),
  ofOrganization('erased_suppressions', ROWS),
  ofOrganization('soft_bounce_resets', ROWS),
  ofOrganization('idempotency_keys', ROWS),
  ofOrganization('attachment_contents', WIDE_ROWS),
  {
    // A template can have any number of versions.
    name: 'versions of templates',
    sql: `with gone as (
      delete from template_versions where id = any(array(
        select v.id from templates t join template_versions v on v.template_id = t.id
         where t.organization_id = $1 and $2::text is not null limit ${WIDE_ROWS})) returning id
    ) select max(id::text) as last from gone`,
  },
  ofOrganization('templates', ROWS),
  ofOrganization('webhook_endpoints', ROWS),
];

/**
 * Contacts with their events, which no foreign key deletes. A contact with more events than one batch keeps its row,
 * and the next batch begins with it.
 * @param batch selects the ID and the key of contacts
 */
function contactsOf(name: string, batch: string): BatchStep {
  return {
    name,
    sql: `with batch as materialized (
      ${batch}
    ), past as materialized (
      select e.id, e.ordinal, e.occurred_at from batch join events e on e.contact_id = batch.id limit ${ROWS * 4}
    ), events as (
      delete from events e using past
       where e.id = past.id and e.ordinal = past.ordinal and e.occurred_at = past.occurred_at
    ), gone as (
      delete from contacts where id = any(array(
        select id from batch where (select count(*) from past) < ${ROWS * 4})) returning address_key
    ) select coalesce((select max(address_key) from gone), (select min(address_key) from batch)) as last`,
  };
}

/** Rows that name their organization and need no other deletions. */
function ofOrganization(table: string, rows: number): BatchStep {
  return {
    name: table,
    sql: `with gone as (
      delete from ${table} where ctid = any(array(
        select ctid from ${table} where organization_id = $1 and $2::text is not null limit ${rows})) returning 1
    ) select case when count(*) > 0 then '' end as last from gone`,
  };
}
