import { isHit } from '../../events/is-hit.sql.js';
import { ALL_CAMPAIGNS } from '../../campaigns/stats/stat-counters.js';
import { FACT_RULES } from '../../emails/recipients/fact-rules.js';
import { MACHINE_CODES } from './seed-verdicts.js';

const { delivered, bounced, complained } = FACT_RULES;
const isMachine = `verdict = any(${MACHINE_CODES})`;
const hasFact = ({ bit }: { bit: number }): string => `(facts & ${bit} <> 0)::integer`;

/** $1: organization, $2 to $3: ids of contacts. Once for each campaign and once for the organization. */
export const HOURLY_STATS = `
insert into hourly_stats (organization_id, campaign_id, hour, emails, sent, unique_opens, unique_clicks, delivered, bounced,
  complained, opens, clicks, machine_opens, machine_clicks)
select $1, coalesce(campaign_id, '${ALL_CAMPAIGNS}'), hour, sum(emails), sum(sent), sum(unique_opens), sum(unique_clicks),
  sum(delivered), sum(bounced), sum(complained), sum(opens), sum(clicks), sum(machine_opens), sum(machine_clicks)
from (
  select campaign_id, date_trunc('hour', fact.at, 'UTC') as hour, sum(fact.emails) as emails, sum(fact.sent) as sent,
    sum(unique_opens) as unique_opens, sum(unique_clicks) as unique_clicks, 0 as delivered, 0 as bounced, 0 as complained,
    0 as opens, 0 as clicks, 0 as machine_opens, 0 as machine_clicks
  from emails cross join lateral (values (created_at, 1, 0, 0, 0), (sent_at, 0, 1, 0, 0), (first_open_at, 0, 0, 1, 0),
    (first_click_at, 0, 0, 0, 1)) as fact (at, emails, sent, unique_opens, unique_clicks)
  where organization_id = $1 and fact.at is not null group by 1, 2
  union all
  select campaign_id, date_trunc('hour', fact_at, 'UTC'), 0, 0, 0, 0, sum(${hasFact(delivered)}), sum(${hasFact(bounced)}),
    sum(${hasFact(complained)}), 0, 0, 0, 0
  from recipient_deliveries join emails on emails.id = email_id
  where organization_id = $1 and fact_at is not null group by 1, 2
  union all
  select campaign_id, date_trunc('hour', occurred_at, 'UTC'), 0, 0, 0, 0, 0, 0, 0,
    count(*) filter (where type = 'opened'), count(*) filter (where type = 'clicked'),
    count(*) filter (where type = 'opened' and ${isMachine}), count(*) filter (where type = 'clicked' and ${isMachine})
  from events join emails on emails.id = email_id
  where contact_id between $2 and $3 and ${isHit('type')} group by 1, 2
) counted group by grouping sets ((hour), (campaign_id, hour))`;
