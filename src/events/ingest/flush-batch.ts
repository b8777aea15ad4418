import type { LiveReport } from '../live/live-message.js';
import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { Database, Sql, Transaction } from '../../platform/database/database.js';
import type { RecordedFacts } from '../../emails/recipients/record-recipient-facts.js';
import { appendStats } from '../../campaigns/stats/append-stats.js';
import { countSending, type SendingDelta } from '../../organizations/guard/count-sending.js';
import { storeDeadLetters, type DeadLetter } from '../dead-letters/dead-letters.js';
import type { EngagementEvent } from '../engagement-event.js';
import { recordVerdicts } from '../store/record-verdicts.js';
import { encodeEvent, packEntry } from '../stream/codec/event-codec.js';
import type { StreamEvent } from '../stream/stream-event.js';
import type { EventBudget } from './event-budget.js';
import { countEvents } from './count-events.js';
import { settleFirstHits } from './first-hits.js';
import { resolveLinks, storeSums, withScanned, type SumOfEmail } from './event-sums.js';
import { COPY_EVENTS, rowsOf, type EventOfEmail } from './event-rows.js';
import { lockEmails, type KnownEmail } from './lock-emails.js';
import { ofDeletedOrganizations } from './deleted-owners.js';
import { CounterDeltas } from './counter-deltas.js';
import { eraseFromClicks } from './erased-links.js';
import { markSummed, refuseSummed, RepeatedHitError } from './repeated-hits.js';
import { classifyEvents } from './classify-events.js';
import { relabelEvents } from './relabel-events.js';
import { liveReportOf } from './live-reports.js';
import { ALL_RULES_OFF, type RuleWindows } from './rules/hit.js';
import { changedSinceEdge, summedSinceEdge, verdictAtEdge } from './changed-verdicts.js';
import { deleteMachineDeliveries, insertWebhookDeliveries } from './insert-webhook-deliveries.js';
import { isUniqueViolation } from '../../platform/database/unique-violation.js';

/** Reports about recipients by outcome. */
export type ReportCounts = Pick<RecordedFacts, 'stored' | 'repeated' | 'dropped'>;

/** An event and the stream entry that contained it. */
export interface ReceivedEvent<Event extends StreamEvent = EngagementEvent> {
  readonly event: Event;
  readonly streamEntryId: string;
}

export interface FlushResult {
  /** Events stored for the first time. */
  readonly stored: number;
  /** Events that were already stored. */
  readonly repeated: number;
  /** Events of emails of deleted organizations, which are not kept. */
  readonly dropped: number;
  readonly deadLetters: readonly DeadLetter[];
  /** IDs of the webhook deliveries for the stored events. */
  readonly webhookDeliveries: readonly string[];
  /** Webhooks that were skipped because too many of their deliveries are pending. */
  readonly fullEndpoints: number;
  /** Outcomes of reports about recipients, which the other counts exclude. */
  readonly reports: readonly ReportCounts[];
  /** Live messages about these emails, to publish after the commit. */
  readonly live: readonly LiveReport[];
}

/** $1 ids of events, $2 and $3 the times of the first and the last of them, in milliseconds. */
const STORED_EVENTS = `
select id from events
where id = any($1::uuid[]) and occurred_at between to_timestamp($2 / 1000.0) and to_timestamp($3 / 1000.0)
union select id from event_sums where id = any($1::uuid[])`;

/**
 * Stores a batch and updates all counters in one transaction. A repeat, whole or partial, changes nothing. An event of
 * an unknown email becomes a dead letter, unless its organization was deleted. Emails are committed before their events
 * can happen, so the email was deleted or Postgres has lost it. Duplicates are rare, so the batch is copied as if it
 * had none, for half the cost of an insert that checks first. If a primary key rejects a duplicate, or a hit beyond a
 * limit proves to be one, `flushUnstored` stores the batch in a second transaction.
 * @throws the error of Postgres; then nothing of the batch is stored
 */
export async function flushBatch(
  database: Database,
  batch: readonly ReceivedEvent[],
  windows: RuleWindows = ALL_RULES_OFF,
  budget?: EventBudget,
): Promise<FlushResult> {
  try {
    return await database.transaction(async (sql) => {
      const emails = await lockEmails(sql, eventsOf(batch));
      return store(sql, batch, emails, windows, budget);
    });
  } catch (error) {
    if (!isUniqueViolation(error) && !(error instanceof RepeatedHitError)) throw error;
  }
  return flushUnstored(database, batch, windows, budget);
}

/**
 * The same for a batch that probably has duplicates: it looks for them first.
 * @throws the error of Postgres; then nothing of the batch is stored
 */
export function flushUnstored(
  database: Database,
  batch: readonly ReceivedEvent[],
  windows: RuleWindows,
  budget?: EventBudget,
): Promise<FlushResult> {
  return database.transaction(async (sql) => {
    // A process that stores the same events needs the same locks, so no other process can store an event that is
    // missing now.
    const emails = await lockEmails(sql, eventsOf(batch));
    const fresh = await withoutStored(sql, batch);
    const result = await store(sql, fresh, emails, windows, budget);
    return { ...result, repeated: result.repeated + batch.length - fresh.length };
  });
}

export function deadLetterOf(
  { event, streamEntryId }: ReceivedEvent<StreamEvent>,
  reason: DeadLetter['reason'],
): DeadLetter {
  return { streamEntryId, payload: packEntry([encodeEvent(event)]), reason };
}

/** Events of unknown emails, except those of deleted organizations: nothing could ever store them. */
async function deadLettersOf(sql: Sql, unknown: readonly ReceivedEvent[]): Promise<DeadLetter[]> {
  const deleted = await ofDeletedOrganizations(sql, new Set(unknown.map(({ event }) => event.emailTrackingId)));
  const lost = unknown.filter(({ event }) => !deleted.has(event.emailTrackingId));
  return lost.map((received) => deadLetterOf(received, 'unknown-email'));
}

/** Stores events that are not stored yet. */
async function store(
  sql: Transaction,
  batch: readonly ReceivedEvent[],
  emails: ReadonlyMap<string, KnownEmail>,
  windows: RuleWindows,
  budget: EventBudget | undefined,
): Promise<FlushResult> {
  const counters = new CounterDeltas();
  const fresh: EventOfEmail[] = [];
  const sums: SumOfEmail[] = [];
  const unknown: ReceivedEvent[] = [];
  for (const received of batch) {
    const { event } = received;
    const email = emails.get(event.emailTrackingId);
    if (!email) {
      unknown.push(received);
    } else if (email.contactIds.length > 0) {
      if (event.type === 'summed') sums.push({ event, email, scanned: new Set() });
      else fresh.push({ event, email, verdict: verdictAtEdge(event) });
    }
  }
  await eraseFromClicks(sql, fresh);
  // Before the limit, so that a burst beyond it is found, too.
  const relabellings = await classifyEvents(sql, fresh, sums, windows);
  const beyond = budget ? await budget.takeBeyond(sql, fresh) : [];
  const summed = [...sums.map(withScanned), ...beyond];
  await refuseSummed(sql, fresh);
  await markSummed(sql, beyond);
  for (const { event, email, verdict } of fresh) counters.add(event, email, verdict);
  for (const { event, email } of summed) counters.add(event, email);
  const changed = await relabelEvents(sql, relabellings, counters);
  await recordVerdicts(sql, [...changed, ...fresh.flatMap(changedSinceEdge), ...beyond.map(summedSinceEdge)]);
  if (fresh.length > 0) await sql.copyIn(COPY_EVENTS, rowsOf(fresh));
  await storeSums(sql, summed);
  await resolveLinks(sql, counters);
  await countEvents(sql, counters, await settleFirstHits(sql, counters));
  await appendStats(sql, counters.hours);
  await countSending(sql, fresh.flatMap(sentRecipients));
  const { deliveries: webhookDeliveries, fullEndpoints } = await insertWebhookDeliveries(sql, fresh, windows);
  await deleteMachineDeliveries(sql, relabellings);
  const deadLetters = await deadLettersOf(sql, unknown);
  await storeDeadLetters(sql, deadLetters);
  const stored = fresh.length + summed.length;
  return {
    stored,
    repeated: batch.length - stored - unknown.length,
    dropped: unknown.length - deadLetters.length,
    deadLetters,
    webhookDeliveries,
    fullEndpoints,
    reports: [],
    live: [...fresh, ...summed].map(liveReportOf),
  };
}

function sentRecipients({ event, email }: EventOfEmail): SendingDelta[] {
  if (event.type !== 'sent') return [];
  return [{ emailId: email.id, sent: 'all', bounced: 0, complained: 0 }];
}

/** Removes duplicates and stored events. */
async function withoutStored(sql: Sql, batch: readonly ReceivedEvent[]): Promise<ReceivedEvent[]> {
  const times = batch.map(({ event }) => timeOfUuidV7(event.id));
  const range = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
  const ids = batch.map(({ event }) => event.id);
  const stored = await sql.query<{ id: string }>(STORED_EVENTS, [ids, ...range]);
  const seen = new Set(stored.map(({ id }) => id));
  return batch.filter(({ event: { id } }) => !seen.has(id) && seen.add(id));
}

function eventsOf(batch: readonly ReceivedEvent[]): EngagementEvent[] {
  return batch.map(({ event }) => event);
}
