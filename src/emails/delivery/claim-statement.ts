import { Statement } from '../../platform/database/statement.js';
import { strongestSuppression } from '../../suppressions/suppression-check.sql.js';

/**
 * Takes the leases of due emails that no worker holds and whose organization and broadcast are not paused, unless a
 * recipient is suppressed: such an email must first leave it out. An email whose generation has changed since it was
 * loaded is not claimed, because another worker may have reached some of its recipients in the meantime. Neither is one
 * that went to several recipients when it was loaded if one of them was erased since then. Lists are hidden from the
 * planner as in `ID_AMONG`. Locks the pending rows in email order, as the statements of outcomes do.
 */
export const CLAIM = new Statement(
  'claim-emails',
  {
    emailIds: 'uuid[]',
    tokens: 'uuid[]',
    generations: 'integer[]',
    providers: 'text[]',
    leaseMs: 'integer',
    checkedTokens: 'uuid[]',
    checkedOrganizations: 'uuid[]',
    checkedKeys: 'text[]',
    checkedUnsubscribes: 'boolean[]',
  },
  `
with
-- The recipients that must not get their email, by the token of the delivery that is about to send to them.
suppressed as materialized (
  select t.token, json_agg(json_build_object('key', t.key, 'reason', found.reason)) as recipients
    from unnest((select :checkedTokens), (select :checkedOrganizations), (select :checkedKeys),
                (select :checkedUnsubscribes)) as t (token, organization_id, key, unsubscribe)
   cross join lateral (${strongestSuppression('t.organization_id', 't.key', 't.unsubscribe')}) as found
   group by t.token
),
-- Deliveries that are about to send to a person who was erased.
outdated as materialized (
  select t.token
    from (select token, array_agg(key) as keys
            from unnest((select :checkedTokens), (select :checkedKeys)) as t (token, key)
           group by token having count(*) > 1) as t
    join unnest((select :emailIds), (select :tokens)) as b (id, token) on b.token = t.token
    join email_contents c on c.email_id = b.id
   where not t.keys <@ mailbox_keys(c.to_addresses || c.cc_addresses || c.bcc_addresses)
),
-- Locks the rows that may be claimed, in email order.
claimable as (
  select p.email_id, b.token, b.provider
    from unnest((select :emailIds), (select :tokens), (select :generations), (select :providers))
           as b (id, token, generation, provider)
    join pending_emails p on p.email_id = b.id
   where p.generation = b.generation and p.lease_token is null and p.due_at <= now()
     and b.token not in (select token from suppressed) and b.token not in (select token from outdated)
     and not exists (
       select from sending_guards g where g.organization_id = p.organization_id and g.state = 'paused')
     and not exists (
       select from broadcasts b where b.id = p.broadcast_id and b.status in ('paused', 'canceled'))
   order by p.email_id for update of p
),
claimed as (
  update pending_emails p
     set lease_token = c.token, lease_until = now() + :leaseMs * interval '1 ms', attempts = p.attempts + 1,
         first_claimed_at = coalesce(p.first_claimed_at, now()), provider = coalesce(nullif(c.provider, ''), p.provider),
         -- Null for a job that Redis has but did not confirm. Recovery looks for lost leases among dispatched emails
         -- only.
         dispatched_at = coalesce(p.dispatched_at, now())
    from claimable c where p.email_id = c.email_id
  returning p.lease_token as token, p.attempts
)
select token, attempts, null::json as suppressed from claimed
union all
select token, null, recipients from suppressed`,
);
