import type { Sql } from '../../platform/database/database.js';
import { FULL_ENDPOINTS, insertEngagementDeliveries } from '../../webhooks/webhook-payloads.sql.js';
import type { EventOfEmail } from './event-rows.js';

/** $1 email ids, $2 ids of events, $3 types, $4 link positions, $5 endpoints to skip. */
const INSERT = insertEngagementDeliveries(
  `(select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[]) as event (email_id, event_id, type, link_position))`,
  '$5::uuid[]',
);

export interface InsertedDeliveries {
  /** IDs of the deliveries. */
  readonly deliveries: readonly string[];
  /** Endpoints that are skipped because too many of their deliveries are pending. */
  readonly fullEndpoints: number;
}

/** Stores the webhook deliveries for new events. */
export async function insertWebhookDeliveries(sql: Sql, events: readonly EventOfEmail[]): Promise<InsertedDeliveries> {
  const reported = events.filter(({ event, email }) => email.hasWebhookListener && event.type !== 'sent');
  if (reported.length === 0) return { deliveries: [], fullEndpoints: 0 };
  const emailIds = reported.map(({ email }) => email.id);
  const full = await sql.prepared<{ id: string }>('flush-full-webhooks', FULL_ENDPOINTS, [[...new Set(emailIds)]]);
  const rows = await sql.prepared<{ id: string }>('flush-insert-deliveries', INSERT, [
    emailIds,
    reported.map(({ event }) => event.id),
    reported.map(({ event }) => event.type),
    reported.map(({ event }) => (event.type === 'clicked' ? event.linkPosition : null)),
    full.map(({ id }) => id),
  ]);
  return { deliveries: rows.map(({ id }) => id), fullEndpoints: full.length };
}
