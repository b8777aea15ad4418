import { uncountEmails } from '../../../src/emails/delivery/uncount-emails.js';
import { uncountManyEmails } from '../../../src/emails/delivery/uncount-many-emails.js';
import type { Sql } from '../../../src/platform/database/database.js';
import { insertOrganization } from '../../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

const FAILED = 2_000;

let open: OpenTestDatabase;
let contactId: string;
let campaignId: string;
let failing: string;
beforeEach(async () => {
  open = await openTestDatabase(2);
  const { database } = open;
  const organizationId = await insertOrganization(database);
  const [campaign] = await database.query<{ id: string }>(
    `insert into campaigns (id, organization_id, name) values (gen_random_uuid(), $1, 'Reports') returning id`,
    [organizationId],
  );
  campaignId = campaign!.id;
  const [contact] = await database.query<{ id: string }>(
    `insert into contacts (organization_id, address_key, address, emails, first_seen_at, last_activity_at)
     values ($1, 'ada@example.com', 'ada@example.com', 1, '2025-12-01', '2026-01-01') returning id`,
    [organizationId],
  );
  contactId = contact!.id;
  const emails = await database.query<{ id: string }>(
    `with email as (
       insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, failed_at, created_at, in_stats)
       select gen_random_uuid(), 't' || n, $1, $3, array[$2::bigint], 'failed', '2026-02-01', '2026-01-01', true
         from generate_series(1, ${FAILED}) n returning id
     ), listed as (
       insert into contact_emails (contact_id, email_id) select $2, id from email
     ), member as (
       insert into contact_campaigns (contact_id, campaign_id) values ($2, $3)
     )
     select id from email limit 1`,
    [organizationId, contactId, campaignId],
  );
  failing = emails[0]!.id;
  await database.query('analyze emails, contact_emails, contacts, contact_campaigns');
});
afterEach(() => open.close());

function uncount(sql: Sql, how: string, emailId: string): Promise<void> {
  if (how === 'alone') return uncountEmails(sql, [emailId], campaignId, [contactId]);
  return uncountManyEmails(sql, {
    ...{ emailIds: [emailId], contactIds: [contactId], memberContactIds: [contactId] },
    ...{ memberCampaignIds: [campaignId], campaignIds: [campaignId] },
  });
}

/** The emails that this connection has read and Postgres has not added to its statistics yet. */
async function emailsRead(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ read: number }>(
    `select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
       from pg_stat_xact_user_tables where relname = 'emails'`,
  );
  return row!.read;
}

it(`an email fails without reading the ${FAILED} others that failed before, if none is left that counts`, async () => {
  const read = await open.database.transaction(async (sql) => {
    const before = await emailsRead(sql);
    await uncountEmails(sql, [failing], campaignId, [contactId]);
    return (await emailsRead(sql)) - before;
  });
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(20);
  const [contact] = await open.database.query(
    `select emails, first_seen_at = last_activity_at as "isInactive",
            (select count(*)::int from contact_campaigns) as campaigns from contacts`,
  );
  expect(contact).toEqual({ emails: '0', isInactive: true, campaigns: 0 });
});

it.each(['alone', 'among many'])(
  'keeps an activity after the acceptance of an email that no longer counts, %s',
  async (how) => {
    const { database } = open;
    // Of opens that are only counted, and of those whose events are deleted, no row shows the time.
    await database.query(`update contacts set emails = 2, opens = 1, last_activity_at = '2026-03-04T05:06:07.089Z'`);
    await database.query(
      `update emails set status = 'sent', failed_at = null, opens = 1 where id = (select max(id::text)::uuid from emails where id <> $1)`,
      [failing],
    );
    await database.transaction((sql) => uncount(sql, how, failing));
    const [contact] = await database.query('select emails, last_activity_at as "lastActivityAt" from contacts');
    expect(contact).toEqual({ emails: '1', lastActivityAt: new Date('2026-03-04T05:06:07.089Z') });
  },
);

it.each(['alone', 'among many'])('shows the first email of a contact without one that counts, %s', async (how) => {
  const { database } = open;
  const [last] = await database.query<{ id: string }>(
    `update emails set created_at = '2026-01-15' where id = (select max(id::text)::uuid from emails) returning id`,
  );
  await database.query(`update contacts set first_seen_at = '2026-01-15', last_activity_at = '2026-01-15'`);
  await database.transaction((sql) => uncount(sql, how, last!.id));
  const [contact] = await database.query('select emails, first_seen_at, last_activity_at from contacts');
  const first = new Date('2026-01-01');
  expect(contact).toEqual({ emails: '0', first_seen_at: first, last_activity_at: first });
});
