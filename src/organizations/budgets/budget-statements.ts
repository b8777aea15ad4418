import { insertBudgetDeliveries } from '../../webhooks/webhook-payloads.sql.js';
import { WARNED_AGAIN_BELOW } from './budget.js';

/** A share is at most this part of what is left, so that processes withhold little from each other. */
const SHARES = 100;

/** $1 to $3: organizations, budgets, periods. The order of all statements that lock more than one row. */
const LINES = `unnest($1::uuid[], $2::text[], $3::timestamptz[]`;
const IN_ORDER = 'order by u.organization_id, u.budget, u.period';
const SAME = '(u.organization_id, u.budget, u.period) = (w.organization_id, w.budget, w.period)';

export const ADD_LINES = `
insert into budget_usage (organization_id, budget, period)
select * from ${LINES}) as w (organization_id, budget, period)
 where exists (select from organizations o where o.id = w.organization_id)
 order by 1, 2, 3 on conflict do nothing`;

/**
 * Takes shares. $4: units that are needed, $5: limits, $6: largest shares. Grants nothing to a line with less than it
 * needs. Lines without a row yet are missing in the result. A warning is due again once little was used: stored bytes
 * do not renew, but are deleted.
 */
export const TAKE_SHARES = `
with locked as materialized (
  select u.organization_id, u.budget, u.period, u.used, w.place, w."limit",
         u.warned_at is not null and not coalesce(u.used < ${WARNED_AGAIN_BELOW} * w."limit", false) as warned,
         case when w."limit" is null then greatest(w.needed, w.largest)
              when u.used + w.needed <= w."limit"
              then greatest(w.needed, least(w.largest, (w."limit" - u.used) / ${SHARES}))
              else 0 end as share
    from ${LINES}, $4::bigint[], $5::bigint[], $6::bigint[]) with ordinality
      as w (organization_id, budget, period, needed, "limit", largest, place)
    join budget_usage u on ${SAME}
   ${IN_ORDER} for no key update of u
), taken as (
  update budget_usage u set used = u.used + w.share, warned_at = case when w.warned then u.warned_at end
    from locked w where ${SAME} and w.share > 0
)
select place::integer - 1 as place, share::float8 as share, greatest("limit" - used - share, 0)::float8 as "left",
       warned
  from locked`;

/** Returns shares. $4: units that were not used; negative for units beyond the share. */
export const RETURN_SHARES = `
with locked as materialized (
  select u.organization_id, u.budget, u.period, w.unused
    from ${LINES}, $4::bigint[]) as w (organization_id, budget, period, unused)
    join budget_usage u on ${SAME}
   ${IN_ORDER} for no key update of u
)
update budget_usage u set used = greatest(0, u.used - w.unused) from locked w where ${SAME}`;

/**
 * Stores the webhook deliveries of a warning, once. $1 organization, $2 budget, $3 period, $4 limit, $5 scale, $6
 * renewal, $7 units at which to warn.
 */
export const WARN = `
with warned as (
  update budget_usage set warned_at = now()
   where organization_id = $1 and budget = $2 and period = $3 and warned_at is null and used >= $7::bigint
  returning organization_id, budget, trim_scale(round(used::numeric / $5::bigint, 1)) as used,
            trim_scale(round($4::bigint::numeric / $5::bigint, 1)) as "limit", $6::timestamptz as renews_at, warned_at
), deliveries as (${insertBudgetDeliveries('warned')})
select used::float8 as used, (select count(*) from deliveries) as deliveries from warned`;

/**
 * Makes warnings due again, after a change of the limits. $1 organization. Locks in the order of the statements above.
 */
export const FORGET_WARNINGS = `
with locked as materialized (
  select u.organization_id, u.budget, u.period from budget_usage u
   where u.organization_id = $1 and u.warned_at is not null ${IN_ORDER} for no key update
)
update budget_usage u set warned_at = null from locked w where ${SAME}`;
