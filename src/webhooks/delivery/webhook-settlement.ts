import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { TEST_EVENT } from '../webhook-events.js';
import type { DisabledReason } from '../webhook-view.js';
import { BREAKER_FAILURES } from './claim-statements.js';
import type { ClaimedWebhookDelivery } from './claim-deliveries.js';

/** One attempt and its result, for the delivery log. */
export interface WebhookAttemptLog {
  readonly startedAt: Date;
  readonly durationMs: number;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Reason of the failure; null for a success. */
  readonly error: string | null;
  /** The beginning of the response body. */
  readonly answer: string | null;
}

/** What to do after a failed attempt. */
export interface Consequence {
  /** Undefined when no retry is left. */
  readonly retryInMs: number | undefined;
  /** How long the receiver asked us to pause all its deliveries. */
  readonly pauseMs: number;
  /** True when the receiver responded with 410 Gone. */
  readonly gone: boolean;
}

export interface Settled {
  /** Number of the attempt. */
  readonly attempt: number;
  /** Set when this attempt disabled the endpoint. */
  readonly disabled: Exclude<DisabledReason, 'requested'> | null;
}

/** Failures without a success for this long disable an endpoint. */
const DISABLE_AFTER = `interval '5 days'`;
/**
 * For `w`: since when it fails. Longer than any wait between two attempts, see `webhookRetryDelayMs`: without attempts
 * for two days, an endpoint with few events could have recovered and failed again.
 */
const FAILING_SINCE = `case when w.failed_at > now() - interval '2 days' or w.failed_at is null
        then coalesce(w.failing_since, now()) else now() end`;
/** Between two probes, an endpoint is paused for as long as it has been failing, within these bounds. */
const SHORTEST_PAUSE = `interval '10 seconds'`;
const LONGEST_PAUSE = `interval '5 minutes'`;

/** No retry is left, unless the 410 came from a URL that has since been replaced. */
const IS_OVER = `$9::float8 is null and not ($11::boolean
      and exists (select from webhook_endpoints w where w.id = endpoint_id and w.url <> $8))`;

/** $1 delivery, $2 lease token, $3 to $7 the attempt. `moved` sets the new state of the delivery. */
const recordAttempt = (moved: string): string => `settled as (
    update webhook_deliveries set attempts = attempts + 1, lease_token = null, ${moved}
     where id = $1 and lease_token = $2
    returning id, endpoint_id, attempts, type
  ),
  logged as (
    insert into webhook_attempts (delivery_id, number, started_at, duration_ms, status, error, answer)
    select id, attempts, $3, $4, $5, $6, $7 from settled
  )`;

/** Tests neither end nor begin a pause, because any client of the organization can send them. */
const AFFECTED_ENDPOINT = `(select endpoint_id from settled where type <> '${TEST_EVENT}')`;

const DELIVERED = `with ${recordAttempt(`status = 'delivered', finished_at = now()`)},
  recovered as (
    update webhook_endpoints
       set failures = 0, failing_since = null, paused_until = case when asked_until > now() then asked_until end
     where id = ${AFFECTED_ENDPOINT} and url = $8 and failures > 0
  )
  select attempts as attempt, null as disabled from settled`;

/** For `w`: until when the receiver asked us to pause. */
const ASKED_UNTIL = `greatest(w.asked_until, now() + nullif($10::float8, 0) * interval '1 ms')`;
const PAUSED_UNTIL = `greatest(
             now() + nullif($10::float8, 0) * interval '1 ms', case when w.asked_until > now() then w.asked_until end,
             case when w.failures + 1 >= ${BREAKER_FAILURES} then
               now() + least(${LONGEST_PAUSE}, greatest(${SHORTEST_PAUSE}, now() - ${FAILING_SINCE})) end)`;
const IS_DISABLED = `($11::boolean or ${FAILING_SINCE} <= now() - ${DISABLE_AFTER})`;

/**
 * $8 the URL that was called, $9 milliseconds until the retry or null, $10 milliseconds of pause that the receiver
 * asked for, $11 gone. Ignores the result for the endpoint if its URL has changed since the attempt, or if it has been
 * disabled. One update both reads and locks the endpoint: two failures that locked it before the update waited for each
 * other while an email held the row for a new delivery.
 */
const FAILED = `with ${recordAttempt(`retries = retries + 1,
      status = case when ${IS_OVER} then 'failed' else 'pending' end,
      finished_at = case when ${IS_OVER} then now() end,
      next_attempt_at = now() + coalesce($9::float8, 0) * interval '1 ms'`)},
  endpoint_failure as (
    update webhook_endpoints w
       set failures = w.failures + 1, failing_since = ${FAILING_SINCE}, failed_at = now(), asked_until = ${ASKED_UNTIL},
           paused_until = coalesce(${PAUSED_UNTIL}, w.paused_until), enabled = not ${IS_DISABLED},
           disabled_at = case when ${IS_DISABLED} then now() else w.disabled_at end,
           disabled_reason = case when not ${IS_DISABLED} then w.disabled_reason when $11::boolean then 'gone' else 'failing' end
     where w.id = ${AFFECTED_ENDPOINT} and w.url = $8 and w.enabled
    returning case when not w.enabled then w.disabled_reason end as disabled
  )
  select attempts as attempt, (select disabled from endpoint_failure) as disabled from settled`;

/** Records attempts. A worker that lost its lease changes nothing. */
@Injectable()
export class WebhookSettlement {
  constructor(private readonly database: Database) {}

  /** Undefined when the lease was lost. */
  delivered(delivery: ClaimedWebhookDelivery, attempt: WebhookAttemptLog): Promise<Settled | undefined> {
    return this.record('settle-delivered-webhook', DELIVERED, valuesOf(delivery, attempt));
  }

  /** Undefined when the lease was lost. */
  failed(
    delivery: ClaimedWebhookDelivery,
    attempt: WebhookAttemptLog,
    { retryInMs, pauseMs, gone }: Consequence,
  ): Promise<Settled | undefined> {
    const values = [...valuesOf(delivery, attempt), retryInMs ?? null, pauseMs, gone];
    return this.record('settle-failed-webhook', FAILED, values);
  }

  /**
   * Releases a delivery that could not be attempted, and pauses its endpoint with all its other deliveries. A test
   * is delayed on its own, because the pause does not apply to it.
   */
  async postpone({ id, leaseToken }: ClaimedWebhookDelivery, delayMs: number): Promise<void> {
    await this.database.query(
      `with given_back as (
         update webhook_deliveries
            set lease_token = null, next_attempt_at = date_trunc('milliseconds', now()) +
                  case when type = '${TEST_EVENT}' then $3 * interval '1 ms' else interval '0' end
          where id = $1 and lease_token = $2 returning endpoint_id, type
       )
       update webhook_endpoints set paused_until = greatest(paused_until, now() + $3 * interval '1 ms')
        where id = (select endpoint_id from given_back where type <> '${TEST_EVENT}')`,
      [id, leaseToken, delayMs],
    );
  }

  private async record(name: string, statement: string, values: unknown[]): Promise<Settled | undefined> {
    const [settled] = await this.database.prepared<Settled>(name, statement, values);
    return settled;
  }
}

function valuesOf({ id, leaseToken, url }: ClaimedWebhookDelivery, attempt: WebhookAttemptLog): unknown[] {
  const { startedAt, durationMs, status, error, answer } = attempt;
  return [id, leaseToken, startedAt, durationMs, status, error, answer, url];
}
