import { timeOfUuidV7 } from '../clock/uuid-v7.js';
import type { SqlRunner } from '../database/database.js';
import type { EngagementEvent } from '../stream/engagement-event.js';
import { insertEngagementDeliveries } from '../webhooks/webhook-bodies.js';

export interface News {
  readonly event: EngagementEvent;
  readonly emailId: string;
}

/** $1 email ids, $2 types, $3 times in milliseconds, $4 URLs. */
const TELL = insertEngagementDeliveries(`(
  select 1 as ordinal, email_id, type, to_timestamp(milliseconds / 1000.0) as occurred_at, url
  from unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[]) as event (email_id, type, milliseconds, url)
)`);

/** Writes what webhooks are to be told of new events, and answers with the ids of the deliveries. */
export async function tellWebhooks(sql: SqlRunner, news: readonly News[]): Promise<string[]> {
  if (news.length === 0) return [];
  const rows = await sql.prepared<{ id: string }>('flush-tell-webhooks', TELL, [
    news.map(({ emailId }) => emailId),
    news.map(({ event }) => event.type),
    news.map(({ event }) => timeOfUuidV7(event.id)),
    news.map(({ event }) => (event.type === 'clicked' ? event.url : null)),
  ]);
  return rows.map(({ id }) => id);
}
