import { EVENT_CLOCK_SKEW_MS } from '../../events/clock-skew.js';
import type { Sql } from '../../platform/database/database.js';
import type { Person } from './person.js';

/**
 * Destinations that contain the address, which only personal links do. Their clicks stay in the totals of the campaign,
 * under the destination without the address. An email that was never recorded as sent has no links, but may have been
 * clicked all the same. Locked in the order of all totals. $1 emails, $2 pattern.
 */
const CAMPAIGN_LINKS = `
with personal as (
  select distinct e.campaign_id, sha256(convert_to(l.url, 'UTF8')) as url_hash
    from emails e join email_links on email_links.email_id = e.id cross join unnest(email_links.urls) as l (url)
   where e.id = any($1::uuid[]) and e.campaign_id is not null and l.url ~* $2
  union
  select e.campaign_id, sha256(convert_to(v.url, 'UTF8'))
    from emails e join events v on v.contact_id = e.contact_ids[1] and v.email_id = e.id and v.ordinal = 1
     and v.occurred_at >= e.created_at - interval '${EVENT_CLOCK_SKEW_MS} ms'
   where e.id = any($1::uuid[]) and e.campaign_id is not null and e.clicks > 0 and v.url ~* $2
     and not exists (select from email_links where email_links.email_id = e.id)
), locked as (
  select k.* from campaign_links k join personal using (campaign_id, url_hash)
   order by k.campaign_id, k.url_hash for update of k
), gone as (
  delete from campaign_links k using locked
   where k.campaign_id = locked.campaign_id and k.url_hash = locked.url_hash
  returning k.campaign_id, regexp_replace(k.url, $2, 'erased', 'gi') as url, k.clicks, k.machine_clicks
)
insert into campaign_links (campaign_id, url_hash, url, clicks, machine_clicks)
select campaign_id, sha256(convert_to(url, 'UTF8')) as url_hash, url, sum(clicks), sum(machine_clicks)
  from gone group by campaign_id, url order by campaign_id, url_hash
on conflict (campaign_id, url_hash) do update
set clicks = campaign_links.clicks + excluded.clicks,
    machine_clicks = campaign_links.machine_clicks + excluded.machine_clicks`;

/** $1 emails, $2 pattern. */
const TAGS = `
with gone as (delete from email_tags where email_id = any($1::uuid[]) and tag ~* $2)
update emails set tags = array(select tag from unnest(tags) as tag where tag !~* $2)
 where id = any($1::uuid[]) and array_to_string(tags, ' ') ~* $2`;

/** Removes the address from links of campaigns and of tags. Must run before the links of the emails are deleted. */
export async function eraseFromLinks(sql: Sql, emailIds: readonly string[], { pattern }: Person): Promise<void> {
  await sql.query(CAMPAIGN_LINKS, [emailIds, pattern]);
  await sql.query(TAGS, [emailIds, pattern]);
}
