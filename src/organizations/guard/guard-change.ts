import { recallEmails } from '../../emails/dispatch/recall-emails.sql.js';
import type { Sql } from '../../platform/database/database.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { insertGuardDeliveries } from '../../webhooks/webhook-payloads.sql.js';
import type { ExceededRate } from './guard-verdict.js';
import { GUARD_STATES, type GuardStatus } from './guard-status.js';

export interface GuardChange {
  readonly organizationId: string;
  /** States from which this change is possible. */
  readonly from: readonly GuardStatus[];
  readonly to: GuardStatus;
  /** One sentence. It is not stored with the state `normal`, but the webhook shows it. */
  readonly reason: string;
  /** Rates that led to the change, beginning with the one in the reason. */
  readonly rates?: readonly ExceededRate[];
  /** Since when its state lasts that the rates were read in. A change since then makes them outdated. */
  readonly since?: Date;
  /** True to refuse its keys, too. Every other change ends a suspension. */
  readonly isSuspension?: boolean;
  /** True to ignore all earlier counts from now on. */
  readonly isResumption?: boolean;
}

/**
 * Changes the state and stores the webhook deliveries about it. $1: organization, $2: states that it may leave, $3: new
 * state, $4: reason, $5: whether it is a resumption, $6: domain, $7: rates, $8: whether it is a suspension, $9: since
 * when the state must last, null for any time. The lock in `b` makes concurrent changes wait and then read the new
 * state, so that only one of them leaves it.
 */
const CHANGE = `
with changed as (
  update sending_guards g
     set state = $3::text, reason = case when $3::text <> 'normal' then $4::text end, changed_at = now(),
         paced_until = null, suspended = $8::boolean, resumed_at = case when $5::boolean then now() else g.resumed_at end
    from (select organization_id, state from sending_guards
           where organization_id = $1::uuid and ($9::timestamptz is null or changed_at = $9) for update) b
   where g.organization_id = b.organization_id and b.state = any($2::text[])
  returning g.organization_id, g.state, b.state as before, $4::text as reason, $6::text as domain, $7::json as rates,
            g.changed_at
), deliveries as (${insertGuardDeliveries('changed')})
select array(select id from deliveries) as "deliveryIds" from changed`;

/** @returns the IDs of the webhook deliveries about the change; undefined when nothing changes */
export async function changeGuard(sql: Sql, change: GuardChange): Promise<readonly string[] | undefined> {
  const { organizationId, from, to, reason, rates = [], since = null } = change;
  const { isResumption = false, isSuspension = false } = change;
  const [changed] = await sql.query<{ deliveryIds: string[] }>(CHANGE, [
    organizationId,
    from,
    to,
    reason,
    isResumption,
    rates[0]?.domain ?? null,
    JSON.stringify(rates),
    isSuspension,
    since,
  ]);
  return changed?.deliveryIds;
}

/** Its lock makes a concurrent resumption and cancellation wait for each other. */
const CANCELING = `
select 1 as canceling from sending_guards where organization_id = $1 and cancel_step_at is not null for update`;

/** The row that a first change locks. $1: organization, $2: since when its state is normal; null for now. */
const ADD = `
insert into sending_guards (organization_id, state, changed_at)
values ($1::uuid, 'normal', coalesce($2::timestamptz, now())) on conflict do nothing`;

/** Adds the state of an organization that was never guarded. */
export async function addGuard(sql: Sql, organizationId: string, since?: Date): Promise<void> {
  await sql.query(ADD, [organizationId, since ?? null]);
}

/**
 * Stops an organization: its keys are refused and its queued mail waits, everywhere within 5 seconds, until it is
 * resumed. A repeat changes the reason. `sweep-webhooks` finds the deliveries about it.
 * @param reason one sentence, which the organization sees
 */
export async function suspendOrganization(sql: Sql, organizationId: string, reason: string): Promise<void> {
  await addGuard(sql, organizationId);
  await changeGuard(sql, { organizationId, from: GUARD_STATES, to: 'paused', reason, isSuspension: true });
}

const RECALL = recallEmails('p.organization_id = $1');

class MailIsBeingCanceledError extends DomainError {
  constructor() {
    super('conflict', 'Its mail is still being canceled by workers, which must run. Try again in half a minute');
  }
}

/**
 * Ends a suspension, pause or slowdown of an organization. Its counts restart, and its mail is dispatched again.
 * `sweep-webhooks` finds the deliveries about it. Call it in a transaction.
 * @throws MailIsBeingCanceledError, because mail that is not canceled yet would be sent
 * @returns false when it is neither paused nor slowed down
 */
export async function resumeSending(sql: Sql, organizationId: string): Promise<boolean> {
  const canceling = await sql.query(CANCELING, [organizationId]);
  if (canceling.length > 0) throw new MailIsBeingCanceledError();
  const deliveryIds = await changeGuard(sql, {
    organizationId,
    from: ['slowed', 'paused'],
    to: 'normal',
    reason: 'An operator resumed sending',
    isResumption: true,
  });
  if (deliveryIds === undefined) return false;
  await sql.query(RECALL, [organizationId]);
  return true;
}
