import { timeOfUuidV7 } from '../clock/uuid-v7.js';
import type { SqlRunner } from '../database/database.js';
import { insertEngagementDeliveries } from '../webhooks/webhook-bodies.js';
import type { EventOfEmail } from './event-rows.js';

/** $1 email ids, $2 types, $3 times in milliseconds, $4 URLs. */
const TELL = insertEngagementDeliveries(`(
  select 1 as ordinal, email_id, type, to_timestamp(milliseconds / 1000.0) as occurred_at, url
  from unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[]) as event (email_id, type, milliseconds, url)
)`);

/** Writes what webhooks are to be told of new events, and answers with the ids of the deliveries. */
export async function tellWebhooks(sql: SqlRunner, events: readonly EventOfEmail[]): Promise<string[]> {
  const news = events.filter(({ event, email }) => email.isListenedTo && event.type !== 'sent');
  if (news.length === 0) return [];
  const rows = await sql.prepared<{ id: string }>('flush-tell-webhooks', TELL, [
    news.map(({ email }) => email.id),
    news.map(({ event }) => event.type),
    news.map(({ event }) => timeOfUuidV7(event.id)),
    news.map(({ event }) => (event.type === 'clicked' ? event.url : null)),
  ]);
  return rows.map(({ id }) => id);
}
