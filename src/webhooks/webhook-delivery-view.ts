import type { WebhookDeliveryStatus } from './webhook-delivery-status.js';
import { TEST_EVENT, type WebhookEventType } from './webhook-events.js';

export interface AttemptView {
  readonly number: number;
  readonly at: string;
  readonly durationMs: number;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Reason of the failure; null for a success. */
  readonly error: string | null;
  /** The first 256 bytes of the response body; null without a response. */
  readonly answer: string | null;
}

export interface DeliveryView {
  readonly id: string;
  readonly type: WebhookEventType | typeof TEST_EVENT;
  readonly status: WebhookDeliveryStatus;
  readonly createdAt: string;
  /** Null once it is delivered or failed. */
  readonly nextAttemptAt: string | null;
  readonly finishedAt: string | null;
  readonly attemptCount: number;
  readonly attempts: readonly AttemptView[];
}

export interface DeliveryDetail extends DeliveryView {
  /** The body of every attempt, as JSON. */
  readonly body: string;
}

export interface DeliveryRow {
  id: string;
  type: DeliveryView['type'];
  status: DeliveryView['status'];
  created_at: Date;
  next_attempt_at: Date;
  finished_at: Date | null;
  attempts: number;
  log: (Omit<AttemptView, 'at'> & { at: string })[];
}

/** Limits the attempts that are shown, because manual retries have no limit. */
const SHOWN_ATTEMPTS = 20;

/** Columns of `webhook_deliveries d`. Only a test is attempted before the pause of its endpoint ends. */
export const DELIVERY_COLUMNS = `d.id, d.type, d.status, d.created_at, d.finished_at, d.attempts,
  greatest(d.next_attempt_at, (select paused_until from webhook_endpoints
    where id = d.endpoint_id and d.type <> '${TEST_EVENT}')) as next_attempt_at,
  (select coalesce(json_agg(a order by a.number desc), '[]') from (
    select number, started_at as at, duration_ms as "durationMs", status, error, answer
      from webhook_attempts where delivery_id = d.id order by number desc limit ${SHOWN_ATTEMPTS}) a) as log`;

export function toDeliveryView(row: DeliveryRow): DeliveryView {
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    createdAt: row.created_at.toISOString(),
    nextAttemptAt: row.status === 'pending' ? row.next_attempt_at.toISOString() : null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    attemptCount: row.attempts,
    attempts: row.log.map((attempt) => ({ ...attempt, at: new Date(attempt.at).toISOString() })),
  };
}

export interface ReplayResponse {
  readonly replayed: number;
  readonly more: boolean;
}
