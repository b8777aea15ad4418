import { FACT_RULES } from '../../emails/recipients/fact-rules.js';
import { isHit } from '../../events/is-hit.sql.js';
import { MACHINE_VERDICTS } from '../../events/verdict.js';
import { HOURLY_FACTS, STAT_COUNTERS } from './stat-counters.js';

const isMachine = `v.verdict = any('{${MACHINE_VERDICTS.join(',')}}'::smallint[])`;
/** The time in a UUIDv7. */
const timeOf = (id: string): string =>
  `to_timestamp(('x0000' || translate(left(${id}::text, 13), '-', ''))::bit(64)::bigint / 1000.0)`;
const facts = HOURLY_FACTS.map((fact) => `('${fact}', ${FACT_RULES[fact].bit})`);

/**
 * Counts locked emails by the hour, each fact in the hour in which it happened, as if they had been counted from the
 * beginning. $1: their IDs. Opens and clicks that are no longer stored one by one (because their events were deleted,
 * or because they were counted together) count in the hour in which the email was sent, so that sums are exact. It
 * reads the events of each contact once for all emails of the batch, because one contact may have most of them.
 */
export const COUNT_EARLIER = `
with batch as materialized (
  select id, organization_id, campaign_id, contact_ids[1] as contact_id, created_at, sent_at, failed_at, canceled_at,
         coalesce(sent_at, created_at) as handed_over_at, opens, clicks, machine_opens, machine_clicks
    from emails where id = any($1::uuid[]) and not in_stats
), single as (
  select v.email_id as id, v.occurred_at as at, (v.type = 'opened')::integer as opens, (v.type = 'clicked')::integer as clicks,
         (v.type = 'opened' and ${isMachine})::integer as machine_opens,
         (v.type = 'clicked' and ${isMachine})::integer as machine_clicks
    from (select distinct contact_id from batch where opens + clicks > 0) contact
    join events v on v.contact_id = contact.contact_id and v.occurred_at >= (select min(created_at) - interval '1 day' from batch)
    join batch b on b.id = v.email_id
   where v.ordinal = 1 and ${isHit('v.type')}
), together as (
  select s.email_id as id, ${timeOf('s.id')} as at, s.opens, s.clicks, s.machine_opens, s.machine_clicks
    from batch b join event_sums s on s.email_id = b.id
), hits as materialized (
  select * from single union all select * from together
), found as (
  select id, sum(opens) as opens, sum(clicks) as clicks, sum(machine_opens) as machine_opens,
         sum(machine_clicks) as machine_clicks, min(at) filter (where opens > machine_opens) as first_open_at,
         min(at) filter (where clicks > machine_clicks) as first_click_at
    from hits group by id
), firsts as materialized (
  select b.id, case when b.opens > b.machine_opens then coalesce(found.first_open_at, handed_over_at) end as first_open_at,
         case when b.clicks > b.machine_clicks then coalesce(found.first_click_at, handed_over_at) end as first_click_at
    from batch b left join found on found.id = b.id
), missing as (
  select b.id, handed_over_at as at, b.opens - coalesce(found.opens, 0) as opens,
         b.clicks - coalesce(found.clicks, 0) as clicks, b.machine_opens - coalesce(found.machine_opens, 0) as machine_opens,
         b.machine_clicks - coalesce(found.machine_clicks, 0) as machine_clicks
    from batch b left join found on found.id = b.id
), reports as (
  select d.email_id, d.address_key, d.type, min(d.occurred_at) as first, max(d.occurred_at) as latest
    from batch b join delivery_events d on d.email_id = b.id group by 1, 2, 3
), counted as (
  select b.id, fact.at, fact.counter, fact.by
    from batch b cross join lateral (values ('emails', created_at, (failed_at is null and canceled_at is null)::integer),
      ('sent', sent_at, 1), ('failed', failed_at, 1)) as fact (counter, at, by)
  union all
  select hit.id, hit.at, fact.counter, fact.by
    from (select * from hits union all select * from missing) hit
    cross join lateral (values ('opens', opens), ('clicks', clicks), ('machine_opens', machine_opens),
      ('machine_clicks', machine_clicks)) as fact (counter, by)
  union all
  select id, fact.at, fact.counter, 1
    from firsts cross join lateral (values ('unique_opens', first_open_at), ('unique_clicks', first_click_at)) as fact (counter, at)
  union all
  select r.email_id, coalesce(case when fact.type = 'unsubscribed' then coalesce(latest, r.unsubscribed_at) else first end, r.fact_at, r.updated_at),
         fact.type, 1
    from batch b join recipient_deliveries r on r.email_id = b.id
    join (values ${facts.join(', ')}) as fact (type, bit) on r.facts & fact.bit <> 0
    left join reports on reports.email_id = r.email_id and reports.address_key = lower(r.address) and reports.type = fact.type
), marked as (
  update emails e set in_stats = true, first_open_at = firsts.first_open_at, first_click_at = firsts.first_click_at
    from firsts where e.id = firsts.id
)
insert into stat_deltas (organization_id, campaign_id, hour, ${STAT_COUNTERS.join(', ')})
select b.organization_id, b.campaign_id, date_trunc('hour', c.at, 'UTC'),
       ${STAT_COUNTERS.map((counter) => `nullif(sum(c.by) filter (where c.counter = '${counter}'), 0)`).join(',\n       ')}
  from counted c join batch b on b.id = c.id where c.at is not null and c.by <> 0 group by 1, 2, 3`;
