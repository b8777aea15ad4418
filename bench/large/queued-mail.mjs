import { withIndexesSuspended } from '../../dist/cli/seed/suspended-indexes.js';

const TABLES = ['contacts', 'emails', 'contact_emails', 'contact_campaigns', 'pending_emails'];

const plan = (emails) => `
create temp table planned on commit drop as
select n, nextval(pg_get_serial_sequence('contacts', 'id')) as contact_id, md5(n::text) || '@example.com' as address,
       (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - ${emails} + n), 12, '0') || '7000'
         || '8' || substr(md5(n::text), 1, 15))::uuid as email_id
  from generate_series(1, ${emails}) n`;

/** They are due tomorrow, so workers do not take them. */
const fillings = (organization, campaign, broadcast) => [
  `insert into contacts (id, organization_id, address_key, address, emails, first_seen_at, last_activity_at)
   select contact_id, ${organization}, address, address, 1, now(), now() from planned`,
  `insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, created_at, sender_key,
                       broadcast_id, in_stats)
   select email_id, md5(n || 'tracking'), ${organization}, ${campaign}, array[contact_id], 'queued', now(), 7, ${broadcast}, true
     from planned`,
  `insert into contact_emails (contact_id, email_id) select contact_id, email_id from planned`,
  `insert into contact_campaigns (contact_id, campaign_id) select contact_id, ${campaign} from planned`,
  `insert into pending_emails (email_id, organization_id, broadcast_id, due_at, attempts)
   select email_id, ${organization}, ${broadcast}, now() + interval '1 day', 1 from planned`,
  `insert into campaign_totals (campaign_id, shard, emails) select ${campaign}, 0, count(*) from planned`,
  `insert into stat_deltas (organization_id, campaign_id, hour, emails)
   select ${organization}, ${campaign}, date_trunc('hour', now(), 'UTC'), count(*) from planned`,
];

/** Emails that wait for a retry, each to a contact of its own, all of one campaign and, if given, of one broadcast. */
export async function fillQueue(database, organizationId, campaignId, broadcastId, emails) {
  const uuid = (id) => (id === null ? 'null::uuid' : `'${id}'::uuid`);
  const statements = [plan(emails), ...fillings(...[organizationId, campaignId, broadcastId].map(uuid))];
  const fill = async (sql) => {
    for (const statement of statements) await sql.query(statement);
  };
  await database.transaction((sql) =>
    withIndexesSuspended(
      sql,
      TABLES,
      () => fill(sql),
      () => undefined,
    ),
  );
  await database.pool.query('vacuum (analyze)');
}

/** Every stored count of the emails of a campaign. */
export async function countsOf(database, campaignId) {
  const [row] = await database.query(
    `select (select sum(emails)::integer from campaign_totals where campaign_id = $1) as total,
            (select count(*)::integer from contact_campaigns where campaign_id = $1) as members,
            (select coalesce(sum(emails), 0)::integer from stat_deltas where campaign_id = $1)
              + (select coalesce(sum(emails), 0)::integer from hourly_stats where campaign_id = $1) as stats,
            (select sum(c.emails)::integer from contacts c join emails e on e.contact_ids = array[c.id]
              where e.campaign_id = $1) as "ofContacts",
            (select count(*)::integer from emails where campaign_id = $1 and status = 'canceled') as canceled,
            (select count(*)::integer from pending_emails) as pending`,
    [campaignId],
  );
  return row;
}
