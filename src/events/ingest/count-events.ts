import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import { plainArray, textArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';
import type { CounterDeltas } from './counter-deltas.js';

/** $1 ids, $2 opens, $3 clicks. Emails and contacts are already locked, so order does not matter here. */
const COUNT_EMAILS = `
update emails set opens = emails.opens + new.opens, clicks = emails.clicks + new.clicks
from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as new (id, opens, clicks)
where emails.id = new.id`;

/** $1 email ids, $2 positions, $3 clicks. */
const COUNT_EMAIL_LINKS = `
insert into email_link_clicks (email_id, position, clicks)
select * from unnest($1::uuid[], $2::int[], $3::bigint[]) as new (email_id, position, clicks)
order by email_id, position
on conflict (email_id, position) do update set clicks = email_link_clicks.clicks + excluded.clicks`;

/** $1 ids, once per email, $2 opens, $3 clicks, $4 latest events in milliseconds. */
const COUNT_CONTACTS = `
update contacts set opens = contacts.opens + new.opens, clicks = contacts.clicks + new.clicks,
  last_activity_at = greatest(contacts.last_activity_at, new.latest)
from (
  select id, sum(opens) as opens, sum(clicks) as clicks, to_timestamp(max(milliseconds) / 1000.0) as latest
  from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) as event (id, opens, clicks, milliseconds)
  group by id
) new
where contacts.id = new.id`;

/** $1 ids, $2 opens, $3 clicks. */
const COUNT_CAMPAIGNS = `
insert into campaign_totals (campaign_id, shard, opens, clicks)
select id, -1, opens, clicks from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as new (id, opens, clicks)
order by id
on conflict (campaign_id, shard) do update
set opens = campaign_totals.opens + excluded.opens, clicks = campaign_totals.clicks + excluded.clicks`;

/** $1 campaign ids, $2 URLs, $3 clicks. */
const COUNT_CAMPAIGN_LINKS = `
insert into campaign_links (campaign_id, url_hash, url, clicks)
select campaign_id, sha256(convert_to(url, 'UTF8')) as url_hash, url, clicks
from unnest($1::uuid[], $2::text[], $3::bigint[]) as new (campaign_id, url, clicks)
order by campaign_id, url_hash
on conflict (campaign_id, url_hash) do update set clicks = campaign_links.clicks + excluded.clicks`;

/** Updates every counter. The caller has locked the emails and their contacts. */
export async function countEvents(sql: Sql, tally: CounterDeltas): Promise<void> {
  const { engagedEmails, contacts, campaigns, campaignLinks } = tally;
  if (engagedEmails.length > 0) {
    await sql.prepared('flush-count-emails', COUNT_EMAILS, [
      plainArray(engagedEmails.map(({ email }) => email.id)),
      plainArray(engagedEmails.map(({ opens }) => opens)),
      plainArray(engagedEmails.map(({ clicks }) => clicks)),
    ]);
  }
  const links = engagedEmails.flatMap(({ email, positions }) =>
    [...positions].map(([position, clicks]) => ({ emailId: email.id, position, clicks })),
  );
  if (links.length > 0) {
    await sql.prepared('flush-count-email-links', COUNT_EMAIL_LINKS, [
      plainArray(links.map(({ emailId }) => emailId)),
      plainArray(links.map(({ position }) => position)),
      plainArray(links.map(({ clicks }) => clicks)),
    ]);
  }
  if (contacts.length > 0) {
    await sql.prepared('flush-count-contacts', COUNT_CONTACTS, [
      plainArray(contacts.map(({ contactId }) => contactId)),
      plainArray(contacts.map(({ tally: { opens } }) => opens)),
      plainArray(contacts.map(({ tally: { clicks } }) => clicks)),
      plainArray(contacts.map(({ tally: { latestId } }) => timeOfUuidV7(latestId))),
    ]);
  }
  if (campaigns.size > 0) {
    await sql.prepared('flush-count-campaigns', COUNT_CAMPAIGNS, [
      plainArray([...campaigns.keys()]),
      plainArray([...campaigns.values()].map(({ opens }) => opens)),
      plainArray([...campaigns.values()].map(({ clicks }) => clicks)),
    ]);
  }
  if (campaignLinks.length > 0) {
    await sql.prepared('flush-count-campaign-links', COUNT_CAMPAIGN_LINKS, [
      plainArray(campaignLinks.map(({ campaignId }) => campaignId)),
      textArray(campaignLinks.map(({ url }) => url)),
      plainArray(campaignLinks.map(({ clicks }) => clicks)),
    ]);
  }
}
