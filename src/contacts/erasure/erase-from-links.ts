import { EVENT_CLOCK_SKEW_MS } from '../../events/clock-skew.js';
import type { Sql } from '../../platform/database/database.js';
import type { Person } from './person.js';

/**
 * Moves the clicks of these emails on destinations that contain the address to the destination without it: they stay in
 * the totals of the campaign. Nearly always, only a personal link does, and nothing is left of it. Where other emails
 * have the same link, such as one to a mailbox of the sender, their clicks stay where their later ones and corrections
 * count. An email that was never recorded as sent has no links, but may have been clicked all the same: its events name
 * them. Locked in the order of all totals. $1 emails, $2 pattern.
 */
const CAMPAIGN_LINKS = `
with clicked as (
  select e.campaign_id, l.url, coalesce(h.clicks, 0) as clicks, coalesce(h.machine_clicks, 0) as machine_clicks
    from emails e join email_links on email_links.email_id = e.id
   cross join unnest(email_links.urls) with ordinality as l (url, place)
    left join email_link_clicks h on h.email_id = e.id and h.position = l.place - 1
   where e.id = any($1::uuid[]) and e.campaign_id is not null and l.url ~* $2
  union all
  select e.campaign_id, v.url, h.clicks, h.machine_clicks
    from emails e
   cross join lateral (
         select distinct link_position, url from events
          where contact_id = e.contact_ids[1] and email_id = e.id and ordinal = 1 and url ~* $2
            and occurred_at >= e.created_at - interval '${EVENT_CLOCK_SKEW_MS} ms') v
    join email_link_clicks h on h.email_id = e.id and h.position = v.link_position
   where e.id = any($1::uuid[]) and e.campaign_id is not null and e.clicks > 0
     and not exists (select from email_links where email_links.email_id = e.id)
), personal as (
  select campaign_id, sha256(convert_to(url, 'UTF8')) as url_hash, sum(clicks)::bigint as clicks,
         sum(machine_clicks)::bigint as machine_clicks
    from clicked group by 1, 2
), locked as (
  select k.campaign_id, k.url_hash, k.url, k.clicks > personal.clicks as is_shared,
         least(k.clicks, personal.clicks) as clicks,
         greatest(least(k.machine_clicks, personal.machine_clicks),
                  k.machine_clicks - greatest(0, k.clicks - personal.clicks)) as machine_clicks
    from campaign_links k join personal using (campaign_id, url_hash)
   order by k.campaign_id, k.url_hash for update of k
), gone as (
  delete from campaign_links k using locked
   where k.campaign_id = locked.campaign_id and k.url_hash = locked.url_hash and not locked.is_shared
), kept as (
  update campaign_links k
     set clicks = k.clicks - locked.clicks, machine_clicks = k.machine_clicks - locked.machine_clicks
    from locked where k.campaign_id = locked.campaign_id and k.url_hash = locked.url_hash and locked.is_shared
)
insert into campaign_links (campaign_id, url_hash, url, clicks, machine_clicks)
select campaign_id, sha256(convert_to(url, 'UTF8')) as url_hash, url, sum(clicks), sum(machine_clicks)
  from (select campaign_id, regexp_replace(url, $2, 'erased', 'gi') as url, clicks, machine_clicks from locked) moved
 group by campaign_id, url order by campaign_id, url_hash
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
