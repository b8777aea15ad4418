import type { Sql } from '../../platform/database/database.js';
import { FULL_ENDPOINTS } from '../../webhooks/full-endpoints.sql.js';
import { DELETE_MACHINE_DELIVERIES, insertEngagementDeliveries } from '../../webhooks/webhook-payloads.sql.js';
import { isMachine } from '../verdict.js';
import type { EventOfEmail } from './event-rows.js';
import type { Relabelling } from './classify-events.js';
import { isUncertain, longestWindow, type RuleWindows } from './rules/hit.js';

/**
 * $1 email ids, $2 ids of events, $3 types, $4 link positions, $5 verdicts, $6 whether by a machine, $7 whether the
 * verdict may change, $8 endpoints to skip, $9 how long a verdict may change.
 */
const INSERT = insertEngagementDeliveries(
  `(select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[], $5::int[], $6::boolean[], $7::boolean[])
      as event (email_id, event_id, type, link_position, verdict, is_machine, may_change))`,
  ...(['$8::uuid[]', '$9::float8'] as const),
);

export interface InsertedDeliveries {
  /** IDs of the deliveries that are due. */
  readonly deliveries: readonly string[];
  /** Endpoints that are skipped because too many of their deliveries are pending. */
  readonly fullEndpoints: number;
}

/** Stores the webhook deliveries for new events. */
export async function insertWebhookDeliveries(
  sql: Sql,
  events: readonly EventOfEmail[],
  windows: RuleWindows,
): Promise<InsertedDeliveries> {
  const reported = events.filter(({ event, email }) => email.hasWebhookListener && event.type !== 'sent');
  if (reported.length === 0) return { deliveries: [], fullEndpoints: 0 };
  const emailIds = reported.map(({ email }) => email.id);
  const waitMs = longestWindow(windows);
  const full = await sql.prepared<{ id: string }>('flush-full-webhooks', FULL_ENDPOINTS, [
    [...new Set(emailIds)],
    waitMs,
  ]);
  const rows = await sql.prepared<{ id: string; isDue: boolean }>('flush-insert-deliveries', INSERT, [
    emailIds,
    reported.map(({ event }) => event.id),
    reported.map(({ event }) => event.type),
    reported.map(({ event }) => (event.type === 'clicked' ? event.linkPosition : null)),
    reported.map(({ verdict }) => verdict),
    reported.map(({ verdict }) => isMachine(verdict)),
    reported.map(isUncertain),
    full.map(({ id }) => id),
    waitMs,
  ]);
  return { deliveries: rows.filter(({ isDue }) => isDue).map(({ id }) => id), fullEndpoints: full.length };
}

/** Deletes deliveries of hits that turned out to be by machines, for endpoints that receive only hits by people. */
export async function deleteMachineDeliveries(sql: Sql, relabellings: readonly Relabelling[]): Promise<void> {
  const reported = relabellings.filter(({ email, verdict }) => email.hasWebhookListener && isMachine(verdict));
  if (reported.length === 0) return;
  await sql.prepared('flush-delete-deliveries', DELETE_MACHINE_DELIVERIES, [
    [...new Set(reported.map(({ email }) => email.id))],
    reported.map(({ hit }) => hit.id),
  ]);
}
