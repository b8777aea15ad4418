import { Pool } from 'pg';
import { ALL_CAMPAIGNS } from '../../src/campaigns/stats/stat-counters.js';
import { isEmailTrackingId } from '../../src/links/email-tracking-id.js';
import { loadSigningKeys } from '../../src/links/signing-key-store.js';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { seed, type Seeded } from '../../src/cli/seed/seed.js';
import { readSizes } from '../../src/cli/seed/seed-sizes.js';
import { isMachine, MACHINE_CLASSES, VERDICTS } from '../../src/events/verdict.js';
import { Database } from '../../src/platform/database/database.js';
import { hoursOfEvents, storedHours } from '../events/ingest/hourly-figures.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';
import { indexesAndKeys } from './indexes-and-keys.js';

const sizes = { campaigns: 5, emails: 300, contacts: 170, regularEmails: 40, events: 3_000 };
/** The first finds the tables empty, the second does not. */
const organizationIds = [uuidV7(Date.now()), uuidV7(Date.now())];
const scheduled = 1;
const steps: string[] = [];

let testDatabase: TestDatabase;
let pool: Pool;
let database: Database;
let definitions: string[];
let seeded: Seeded[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  pool = new Pool({ connectionString: testDatabase.url, max: 2 });
  database = new Database(pool);
  definitions = await indexesAndKeys(database);
  seeded = [];
  for (const id of organizationIds) {
    await database.query(`insert into organizations (id, name, plan) values ($1, 'Seeded', 'unlimited')`, [id]);
    const show = (step: string, done: number, total: number): void => void (done === total && steps.push(step));
    seeded.push(await seed(database, id, sizes, new Date(), show));
  }
});

afterAll(async () => {
  await pool.end();
  await testDatabase.drop();
});

async function count(from: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(`select count(*)::int as count from ${from}`);
  return row!.count;
}

describe('seeding', () => {
  it('inserts the requested numbers of rows', async () => {
    for (const [index, organizationId] of organizationIds.entries()) {
      const ours = `organization_id = '${organizationId}'`;
      expect(await count(`campaigns where ${ours}`)).toBe(sizes.campaigns);
      expect(await count(`contacts where ${ours}`)).toBe(sizes.contacts);
      expect(await count(`contact_search where ${ours}`)).toBe(sizes.contacts);
      expect(await count(`events join contacts c on c.id = contact_id where ${ours}`)).toBe(sizes.events);
      const big = `campaign_id = '${seeded[index]!.campaignId}'`;
      expect(await count(`emails where ${ours} and ${big}`)).toBe(sizes.emails);
      expect(await count(`emails where ${ours} and not ${big} and send_at is null`)).toBe(sizes.regularEmails);
      expect(await count(`emails where ${ours} and send_at is not null`)).toBe(scheduled);
      expect(await count(`email_contents join emails e on e.id = email_id where ${ours}`)).toBe(
        sizes.emails + sizes.regularEmails + scheduled,
      );
    }
    expect(steps).toContain('events: others');
  });

  it('restores every index and key of empty tables, and does not touch other tables', async () => {
    expect(definitions.length).toBeGreaterThan(40);
    expect(await indexesAndKeys(database)).toEqual(definitions);
    expect(await count(`pg_indexes where tablename like 'events%'`)).toBe(
      2 *
        (await count(
          `pg_class where relname like 'events%' and relkind in ('r', 'p') and relname <> 'event_dead_letters'`,
        )),
    );
    expect(steps.filter((step) => step === 'indexes and keys')).toHaveLength(1);
  });

  it('counts the events by the hour', async () => {
    expect(await storedHours(database)).toEqual(await hoursOfEvents(database));
    for (const organizationId of organizationIds) {
      const [totals] = await database.query(
        `select sum(emails)::int as emails, sum(sent)::int as sent, sum(opens + clicks)::int as hits from hourly_stats
          where organization_id = $1 and campaign_id = '${ALL_CAMPAIGNS}'`,
        [organizationId],
      );
      const sent = sizes.emails + sizes.regularEmails;
      expect(totals).toEqual({ emails: sent + scheduled, sent, hits: sizes.events - sent });
    }
  });

  it('spreads the events over months and over emails', async () => {
    expect(await count('events_default')).toBe(0);
    expect(await count('(select distinct tableoid from events) used')).toBeGreaterThanOrEqual(6);
    expect(await count('emails where opens > 12')).toBeGreaterThan(5);
    expect(await count('emails where clicks = 0')).toBeGreaterThan(5);
  });

  const MACHINES = `'{${VERDICTS.map((_, code) => code)
    .filter(isMachine)
    .join(',')}}'::int[]`;
  const machines = (type: string) => `count(*) filter (where type = '${type}' and verdict = any(${MACHINES}))`;

  it('has opens and clicks by people and by machines of every class', async () => {
    expect(await count('(select distinct class from email_machine_hits) seen')).toBe(MACHINE_CLASSES.length);
    expect(await count('emails where machine_opens between 1 and opens - 1')).toBeGreaterThan(5);
    expect(await count('emails where opens > 0 and not person_opened')).toBeGreaterThan(0);
    expect(await count('emails where person_clicked')).toBeGreaterThan(5);
  });

  const contradictions = {
    'emails and events': `emails e where array[opens, clicks] is distinct from (
      select array[count(*) filter (where type = 'opened'), count(*) filter (where type = 'clicked')]
      from events where email_id = e.id)`,
    'machines of emails and events': `emails e where array[machine_opens, machine_clicks] is distinct from (
      select array[${machines('opened')}, ${machines('clicked')}] from events where email_id = e.id)`,
    'machines of emails and their classes': `emails e where machine_opens + machine_clicks is distinct from (
      select coalesce(sum(hits), 0) from email_machine_hits where email_id = e.id)`,
    'people who opened and opens': `emails where person_opened <> (opens > machine_opens)
      or person_clicked <> (clicks > machine_clicks)`,
    'machines of links and events': `email_link_clicks l where machine_clicks is distinct from (
      select ${machines('clicked')} from events v where v.email_id = l.email_id and v.link_position = l.position)`,
    'machines of contacts and events': `contacts c where array[machine_opens, machine_clicks] is distinct from (
      select array[${machines('opened')}, ${machines('clicked')}] from events where contact_id = c.id)`,
    'emails and their sent events': `emails e where send_at is null and not exists (
      select from events v where v.email_id = e.id and v.type = 'sent' and v.occurred_at = e.sent_at
        and v.contact_id = any(e.contact_ids))`,
    'links of emails and events': `email_link_clicks l where clicks is distinct from (
      select count(*) from events v where v.email_id = l.email_id and v.link_position = l.position)`,
    'contacts and events': `contacts c where array[emails, opens, clicks] is distinct from (
      select array[count(*) filter (where type = 'sent') + (
        select count(*) from emails where contact_ids = array[c.id] and send_at is not null), count(*) filter (where type = 'opened'),
        count(*) filter (where type = 'clicked')] from events where contact_id = c.id)`,
    'activity of contacts and events': `contacts c where emails > 0 and array[first_seen_at, last_activity_at]
      is distinct from (select array[min(occurred_at), max(occurred_at)] from events where contact_id = c.id)`,
    'contacts and their emails': `contacts c where emails is distinct from (
      select count(*) from contact_emails where contact_id = c.id)`,
    'contacts and their campaigns': `contacts c where (select array_agg(campaign_id order by campaign_id)
      from contact_campaigns where contact_id = c.id) is distinct from (
      select array_agg(distinct campaign_id order by campaign_id) from emails where contact_ids = array[c.id])`,
    'campaigns and emails': `campaigns k where (
      select (sum(emails), sum(opens), sum(clicks)) from campaign_totals where campaign_id = k.id) is distinct from (
      select (nullif(count(*), 0)::numeric, sum(opens), sum(clicks)) from emails where campaign_id = k.id)`,
    'people and machines of campaigns and emails': `campaigns k where (
      select array[sum(unique_opens), sum(unique_clicks), sum(machine_opens), sum(machine_clicks),
                   sum(prefetches + previews + scans + bots)]
      from campaign_totals where campaign_id = k.id) is distinct from (
      select case when count(*) > 0 then array[count(*) filter (where person_opened), count(*) filter (where person_clicked),
                   sum(machine_opens), sum(machine_clicks), sum(machine_opens + machine_clicks)]
             else array_fill(null::numeric, '{5}') end
      from emails where campaign_id = k.id)`,
    'machines of links of campaigns and of emails': `campaigns k where (
      select sum(machine_clicks) from campaign_links where campaign_id = k.id) is distinct from (
      select sum(l.machine_clicks) from email_link_clicks l join emails e on e.id = l.email_id
      where e.campaign_id = k.id)`,
    'links of campaigns and events': `campaigns k where (
      select sum(clicks) from campaign_links where campaign_id = k.id) is distinct from (
      select nullif(count(*), 0)::numeric from events v join emails e on e.id = v.email_id
      where e.campaign_id = k.id and v.type = 'clicked')`,
    'emails and their tags': `emails e where tags is distinct from (
      select array_agg(tag order by tag = 'rare', tag = 'digest') from email_tags where email_id = e.id)`,
    'tags and organizations': `email_tags t where organization_id is distinct from (
      select organization_id from emails where id = t.email_id)`,
    'attachments and their contents': `email_attachments a where size is distinct from (
      select octet_length(bytes) from attachment_contents c where (c.organization_id, c.sha256) = (a.organization_id, a.sha256))`,
    'scheduled emails and the queue': `emails e where (status = 'queued') is distinct from exists (
      select from pending_emails p where email_id = e.id and due_at = e.send_at and due_at > now())`,
    'broadcasts and their emails': `broadcasts b where emails is distinct from (
      select count(*) from emails where broadcast_id = b.id)`,
    'broadcasts and their waiting recipients': `broadcasts b where recipients - emails is distinct from (
      select count(*) from broadcast_recipients where broadcast_id = b.id and place <= last_place)`,
    'campaigns and reports': `campaigns k where (select array[sum(delivered), sum(bounced), sum(complained)]
      from campaign_totals where campaign_id = k.id and shard = -1) is distinct from (
      select case when count(*) > 0 then array[count(r.*) filter (where facts & 2 <> 0), count(r.*) filter (where facts & 4 <> 0),
                   count(r.*) filter (where facts & 8 <> 0)]::numeric[] end
      from emails e left join recipient_deliveries r on r.email_id = e.id where campaign_id = k.id and send_at is null)`,
    'contacts and reports': `contacts c where array[bounces, complaints] is distinct from (
      select array[count(*) filter (where facts & 4 <> 0), count(*) filter (where facts & 8 <> 0)]
      from recipient_deliveries r join emails e on e.id = r.email_id where contact_ids = array[c.id])`,
    'reports and suppressions': `contacts c where array[bounces > 0, complaints > 0] is distinct from (
      select array[coalesce(bool_or(reason = 'bounce'), false), coalesce(bool_or(reason = 'complaint'), false)]
      from suppressions s where (s.organization_id, s.address_key) = (c.organization_id, c.address_key))`,
    'events and their ids': `events where occurred_at <>
      to_timestamp(('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0)`,
    'events and now': `events where occurred_at > now()`,
  };
  it.each(Object.entries(contradictions))('leaves no contradiction between %s', async (_, rows) => {
    expect(await count(rows)).toBe(0);
  });

  it('gives emails tracking IDs that the tracking edge accepts', async () => {
    const keys = await loadSigningKeys(database);
    const emails = await database.query<{ tracking_id: string }>('select tracking_id from emails');
    expect(emails.filter(({ tracking_id }) => !isEmailTrackingId(keys, tracking_id))).toEqual([]);
  });

  it('reads sizes from options', () => {
    expect(readSizes({})).toMatchObject({ campaigns: 1_000, emails: 1_000_000, events: 10_000_000 });
    expect(readSizes({ scale: '0.001', contacts: '7' })).toMatchObject({
      campaigns: 1_000,
      emails: 1_000,
      contacts: 7,
    });
    for (const options of [{ scale: '0' }, { scale: 'x' }, { emails: '1.5' }, { events: '5' }, { contacts: '' }])
      expect(() => readSizes(options)).toThrow(/must be/);
  });
});
