import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import { plainArray, textArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';
import { ENGAGEMENT_CLASSES } from '../verdict.js';
import { ENGAGEMENT_COUNTERS } from '../../campaigns/campaign-counters.js';
import type { CounterDeltas } from './counter-deltas.js';
import type { EmailDeltas } from './email-deltas.js';
import type { FirstHits } from './first-hits.js';

/**
 * $1 ids, $2 opens, $3 clicks, $4 and $5 how many of them by machines, $6 latest clicks in milliseconds, $7 and $8
 * first hits by people. Emails and contacts are already locked, so order does not matter here.
 */
const COUNT_EMAILS = `
update emails set opens = emails.opens + new.opens, clicks = emails.clicks + new.clicks,
  machine_opens = emails.machine_opens + new.machine_opens, machine_clicks = emails.machine_clicks + new.machine_clicks,
  person_opened = emails.opens + new.opens > emails.machine_opens + new.machine_opens,
  person_clicked = emails.clicks + new.clicks > emails.machine_clicks + new.machine_clicks,
  last_click_at = greatest(emails.last_click_at, to_timestamp(new.clicked / 1000)),
  first_open_at = to_timestamp(new.first_open / 1000), first_click_at = to_timestamp(new.first_click / 1000)
from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::float8[], $7::float8[], $8::float8[])
  as new (id, opens, clicks, machine_opens, machine_clicks, clicked, first_open, first_click)
where emails.id = new.id`;

/** $1 email ids, $2 positions in `ENGAGEMENT_CLASSES`, $3 hits. */
const COUNT_MACHINES = `
insert into email_machine_hits (email_id, class, hits)
select * from unnest($1::uuid[], $2::int[], $3::bigint[]) as new (email_id, class, hits)
order by email_id, class
on conflict (email_id, class) do update set hits = email_machine_hits.hits + excluded.hits`;

/** $1 email ids, $2 positions, $3 clicks, $4 how many of them by machines. */
const COUNT_EMAIL_LINKS = `
insert into email_link_clicks (email_id, position, clicks, machine_clicks)
select * from unnest($1::uuid[], $2::int[], $3::bigint[], $4::bigint[]) as new (email_id, position, clicks, machine_clicks)
order by email_id, position
on conflict (email_id, position) do update
set clicks = email_link_clicks.clicks + excluded.clicks,
    machine_clicks = email_link_clicks.machine_clicks + excluded.machine_clicks`;

/**
 * $1 ids, once per email, $2 opens, $3 clicks, $4 and $5 how many of them by machines, $6 latest events in
 * milliseconds.
 */
const COUNT_CONTACTS = `
update contacts set opens = contacts.opens + new.opens, clicks = contacts.clicks + new.clicks,
  machine_opens = contacts.machine_opens + new.machine_opens,
  machine_clicks = contacts.machine_clicks + new.machine_clicks,
  last_activity_at = greatest(contacts.last_activity_at, new.latest)
from (
  select id, sum(opens) as opens, sum(clicks) as clicks, sum(machine_opens) as machine_opens,
    sum(machine_clicks) as machine_clicks, to_timestamp(max(milliseconds) / 1000) as latest
  from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::float8[])
    as event (id, opens, clicks, machine_opens, machine_clicks, milliseconds)
  group by id
) new
where contacts.id = new.id`;

const added = ENGAGEMENT_COUNTERS.map((name) => `${name} = campaign_totals.${name} + excluded.${name}`);

/** $1 ids, then the increments of each counter. */
const COUNT_CAMPAIGNS = `
insert into campaign_totals (campaign_id, shard, ${ENGAGEMENT_COUNTERS.join(', ')})
select id, -1, ${ENGAGEMENT_COUNTERS.join(', ')}
from unnest($1::uuid[], ${ENGAGEMENT_COUNTERS.map((_, index) => `$${index + 2}::bigint[]`).join(', ')})
  as new (id, ${ENGAGEMENT_COUNTERS.join(', ')})
order by id
on conflict (campaign_id, shard) do update set ${added.join(', ')}`;

/** $1 campaign ids, $2 URLs, $3 clicks, $4 how many of them by machines. */
const COUNT_CAMPAIGN_LINKS = `
insert into campaign_links (campaign_id, url_hash, url, clicks, machine_clicks)
select campaign_id, sha256(convert_to(url, 'UTF8')) as url_hash, url, clicks, machine_clicks
from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) as new (campaign_id, url, clicks, machine_clicks)
order by campaign_id, url_hash
on conflict (campaign_id, url_hash) do update
set clicks = campaign_links.clicks + excluded.clicks,
    machine_clicks = campaign_links.machine_clicks + excluded.machine_clicks`;

/** Updates every counter. The caller has locked the emails and their contacts. */
export async function countEvents(
  sql: Sql,
  counters: CounterDeltas,
  firstHits: ReadonlyMap<EmailDeltas, FirstHits>,
): Promise<void> {
  const { engagedEmails, contacts } = counters;
  if (engagedEmails.length > 0) await countEmails(sql, engagedEmails, firstHits);
  if (contacts.length > 0) {
    await sql.prepared('flush-count-contacts', COUNT_CONTACTS, [
      plainArray(contacts.map(({ contactId }) => contactId)),
      ...hitsOf(contacts.map((contact) => contact.deltas)),
      plainArray(contacts.map(({ deltas: { latestId } }) => timeOfUuidV7(latestId))),
    ]);
  }
  await countCampaigns(sql, counters);
}

async function countEmails(
  sql: Sql,
  emails: readonly EmailDeltas[],
  firstHits: ReadonlyMap<EmailDeltas, FirstHits>,
): Promise<void> {
  await sql.prepared('flush-count-emails', COUNT_EMAILS, [
    plainArray(emails.map(({ email }) => email.id)),
    ...hitsOf(emails),
    plainArray(emails.map(({ latestClickId }) => (latestClickId === '' ? 'null' : timeOfUuidV7(latestClickId)))),
    plainArray(emails.map((deltas) => firstHits.get(deltas)?.openAt ?? 'null')),
    plainArray(emails.map((deltas) => firstHits.get(deltas)?.clickAt ?? 'null')),
  ]);
  const machines = emails.flatMap(({ email, machines: byClass }) =>
    [...byClass].map(([name, hits]) => ({ emailId: email.id, class: ENGAGEMENT_CLASSES.indexOf(name), hits })),
  );
  if (machines.length > 0) {
    await sql.prepared('flush-count-machines', COUNT_MACHINES, [
      plainArray(machines.map(({ emailId }) => emailId)),
      plainArray(machines.map((machine) => machine.class)),
      plainArray(machines.map(({ hits }) => hits)),
    ]);
  }
  const links = emails.flatMap(({ email, positions }) =>
    [...positions].map(([position, clicks]) => ({ emailId: email.id, position, ...clicks })),
  );
  if (links.length > 0) {
    await sql.prepared('flush-count-email-links', COUNT_EMAIL_LINKS, [
      plainArray(links.map(({ emailId }) => emailId)),
      plainArray(links.map(({ position }) => position)),
      plainArray(links.map(({ clicks }) => clicks)),
      plainArray(links.map(({ machineClicks }) => machineClicks)),
    ]);
  }
}

async function countCampaigns(sql: Sql, { campaigns, campaignLinks }: CounterDeltas): Promise<void> {
  if (campaigns.size > 0) {
    const totals = [...campaigns.values()];
    await sql.prepared('flush-count-campaigns', COUNT_CAMPAIGNS, [
      plainArray([...campaigns.keys()]),
      ...ENGAGEMENT_COUNTERS.map((counter) => plainArray(totals.map((total) => total[counter]))),
    ]);
  }
  if (campaignLinks.length > 0) {
    await sql.prepared('flush-count-campaign-links', COUNT_CAMPAIGN_LINKS, [
      plainArray(campaignLinks.map(({ campaignId }) => campaignId)),
      textArray(campaignLinks.map(({ url }) => url)),
      plainArray(campaignLinks.map(({ clicks }) => clicks)),
      plainArray(campaignLinks.map(({ machineClicks }) => machineClicks)),
    ]);
  }
}

/** Opens, clicks, and how many of them by machines, as arrays of Postgres. */
function hitsOf(deltas: readonly EmailDeltas[]): string[] {
  return [
    plainArray(deltas.map(({ opens }) => opens)),
    plainArray(deltas.map(({ clicks }) => clicks)),
    plainArray(deltas.map(({ machineOpens }) => machineOpens)),
    plainArray(deltas.map(({ machineClicks }) => machineClicks)),
  ];
}
