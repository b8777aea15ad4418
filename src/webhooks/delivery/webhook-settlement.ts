import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { TEST_EVENT } from '../webhook-events.js';
import { BREAKER_FAILURES } from './claim-statements.js';
import type { ClaimedWebhookDelivery } from './claim-deliveries.js';

/** What one attempt was and came to, as it is shown in the log of deliveries. */
export interface WebhookAttemptLog {
  readonly startedAt: Date;
  readonly durationMs: number;
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** Why it failed, in words; null for a success. */
  readonly error: string | null;
  /** The beginning of the answer's body. */
  readonly answer: string | null;
}

/** What follows from a failed attempt. */
export interface Consequence {
  /** Undefined when no retry is left. */
  readonly retryInMs: number | undefined;
  /** The receiver asked all of us to wait for so long. */
  readonly pauseMs: number;
  /** The receiver said that it is gone for good. */
  readonly gone: boolean;
}

export interface Settled {
  /** Number of the attempt. */
  readonly attempt: number;
  /** Why the endpoint was disabled by this attempt. */
  readonly disabled: 'gone' | 'failing' | null;
}

/** Nothing but failures for so long disable an endpoint. */
const DISABLE_AFTER = `interval '5 days'`;
/** While an endpoint is only probed, it is left alone for as long as it has been failing, within these bounds. */
const SHORTEST_PAUSE = `interval '10 seconds'`;
const LONGEST_PAUSE = `interval '5 minutes'`;

/** No retry is left, or the receiver that is still asked is gone. */
const IS_OVER = `$9::float8 is null and not ($11::boolean
      and exists (select from webhook_endpoints w where w.id = endpoint_id and w.url <> $8))`;

/** $1 delivery, $2 lease token, $3 to $7 the attempt; `moved` says what becomes of the delivery. */
const recordAttempt = (moved: string): string => `settled as (
    update webhook_deliveries set attempts = attempts + 1, lease_token = null, ${moved}
     where id = $1 and lease_token = $2
    returning id, endpoint_id, attempts, type
  ),
  logged as (
    insert into webhook_attempts (delivery_id, number, started_at, duration_ms, status, error, answer)
    select id, attempts, $3, $4, $5, $6, $7 from settled
  )`;

/** The outcome of a test, which anybody in the organization can cause, neither ends nor begins a pause. */
const JUDGED_ENDPOINT = `(select endpoint_id from settled where type <> '${TEST_EVENT}')`;

const DELIVERED = `with ${recordAttempt(`status = 'delivered', finished_at = now()`)},
  recovered as (
    update webhook_endpoints
       set failures = 0, failing_since = null, paused_until = case when asked_until > now() then asked_until end
     where id = ${JUDGED_ENDPOINT} and url = $8 and failures > 0
  )
  select attempts as attempt, null as disabled from settled`;

/**
 * $8 the URL that was called, $9 milliseconds until the retry or null, $10 milliseconds for which the receiver wants to
 * be left alone, $11 gone. What an address said that has been replaced since says nothing of the new one.
 */
const FAILED = `with ${recordAttempt(`retries = retries + 1,
      status = case when ${IS_OVER} then 'failed' else 'pending' end,
      finished_at = case when ${IS_OVER} then now() end,
      next_attempt_at = now() + coalesce($9::float8, 0) * interval '1 ms'`)},
  judged as (
    select w.id, w.enabled and case
        when $11::boolean then 'gone' when w.failing_since <= now() - ${DISABLE_AFTER} then 'failing'
      end is not null as is_disabled,
      case when $11::boolean then 'gone' else 'failing' end as reason,
      greatest(w.asked_until, now() + nullif($10::float8, 0) * interval '1 ms') as asked_until,
      greatest(
        now() + nullif($10::float8, 0) * interval '1 ms', case when w.asked_until > now() then w.asked_until end,
        case when w.failures + 1 >= ${BREAKER_FAILURES} then
          now() + least(${LONGEST_PAUSE}, greatest(${SHORTEST_PAUSE}, now() - w.failing_since)) end) as paused_until
      from webhook_endpoints w where w.id = ${JUDGED_ENDPOINT} and w.url = $8
       for no key update
  ),
  blamed as (
    update webhook_endpoints w
       set failures = w.failures + 1, failing_since = coalesce(w.failing_since, now()),
           asked_until = judged.asked_until, paused_until = coalesce(judged.paused_until, w.paused_until),
           enabled = w.enabled and not is_disabled,
           disabled_at = case when is_disabled then now() else w.disabled_at end,
           disabled_reason = case when is_disabled then judged.reason else w.disabled_reason end
      from judged where w.id = judged.id
  )
  select attempts as attempt, (select reason from judged where is_disabled) as disabled from settled`;

/** Records attempts. Only the holder of the lease may: whoever lost it changes nothing. */
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
   * Gives a delivery back that could not be attempted at all, and pauses its endpoint: all its others wait too. A test
   * waits by itself, because no pause holds it.
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
