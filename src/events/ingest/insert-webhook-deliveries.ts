import type { Sql } from '../../platform/database/database.js';
import { FULL_ENDPOINTS, insertEngagementDeliveries } from '../../webhooks/webhook-payloads.sql.js';
import type { EventOfEmail } from './event-rows.js';

/** $1 email ids, $2 ids of events, $3 types, $4 positions of links, $5 endpoints that are left out. */
const TELL = insertEngagementDeliveries(
  `(select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[]) as event (email_id, event_id, type, link_position))`,
  '$5::uuid[]',
);

export interface Told {
  /** Ids of the deliveries. */
  readonly deliveries: readonly string[];
  /** Endpoints that are told nothing because too much waits for them. */
  readonly fullEndpoints: number;
}

/** Writes what webhooks are to be told of new events. */
export async function tellWebhooks(sql: Sql, events: readonly EventOfEmail[]): Promise<Told> {
  const news = events.filter(({ event, email }) => email.hasWebhookListener && event.type !== 'sent');
  if (news.length === 0) return { deliveries: [], fullEndpoints: 0 };
  const emailIds = news.map(({ email }) => email.id);
  const full = await sql.prepared<{ id: string }>('flush-full-webhooks', FULL_ENDPOINTS, [[...new Set(emailIds)]]);
  const rows = await sql.prepared<{ id: string }>('flush-tell-webhooks', TELL, [
    emailIds,
    news.map(({ event }) => event.id),
    news.map(({ event }) => event.type),
    news.map(({ event }) => (event.type === 'clicked' ? event.linkPosition : null)),
    full.map(({ id }) => id),
  ]);
  return { deliveries: rows.map(({ id }) => id), fullEndpoints: full.length };
}
