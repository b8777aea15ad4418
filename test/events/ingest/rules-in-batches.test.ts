import fc from 'fast-check';
import type { Database } from '../../../src/platform/database/database.js';
import { timeOfUuidV7, uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { flushBatch } from '../../../src/events/ingest/flush-batch.js';
import type { ClassifiedHit, RuleWindows } from '../../../src/events/ingest/rules/hit.js';
import { classifyHits } from '../../../src/events/ingest/rules/classify-hits.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { codeOfVerdict, NO_SIGN, type Verdict } from '../../../src/events/verdict.js';
import { sendMail } from '../../roles/flusher/sent-mail.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { countersOfEvents, storedCounters } from './engagement-counters.js';

const HOUR_MS = 3_600_000;
const WINDOWS: RuleWindows = {
  ENGAGEMENT_INSTANT_MS: 3_000,
  ENGAGEMENT_CORROBORATED_MS: 6_000,
  ENGAGEMENT_BURST_MS: 1_000,
  ENGAGEMENT_ALL_LINKS_MS: 4_000,
  ENGAGEMENT_AROUND_SCANNER_MS: 4_000,
};
/** Just before the full hour, so that some hits are in the next one. */
const SENT_AT = Math.floor(Date.now() / HOUR_MS - 1) * HOUR_MS - 5_000;
const LINKS = 3;

const code = (name: Verdict['class'], reason: string, certainty: Verdict['certainty']): number =>
  codeOfVerdict({ class: name, reason, certainty });
const VERDICTS_AT_EDGE = [
  code('human', 'user-agent:bare-webkit', 'probable'),
  code('human', 'network:proofpoint', 'probable'),
  code('scanner', 'user-agent:missing', 'probable'),
  code('scanner', 'user-agent:barracuda', 'certain'),
  code('proxy', 'user-agent:google-image-proxy', 'certain'),
  code('prefetch', 'user-agent:apple-mpp', 'certain'),
];

let openDatabase: OpenTestDatabase;
let database: Database;

beforeAll(async () => {
  openDatabase = await openTestDatabase();
  ({ database } = openDatabase);
});

afterAll(() => openDatabase.close());

const hit = fc.record({
  email: fc.nat(1),
  /** Milliseconds after the hand-over, in steps that put hits on both sides of every time window, and some far away. */
  at: fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: -4, max: 30 }).map((step) => step * 500) },
    fc.constant(120_000),
  ),
  position: fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 3, arbitrary: fc.nat(LINKS) }),
  verdict: fc.oneof(
    { weight: 4, arbitrary: fc.constant(NO_SIGN) },
    { weight: 3, arbitrary: fc.constantFrom(...VERDICTS_AT_EDGE) },
  ),
});

const arrival = fc.record({
  hits: fc.array(hit, { minLength: 1, maxLength: 14 }),
  /** Sort keys that shuffle the events, and the ends of the batches. */
  order: fc.infiniteStream(fc.nat(1_000)),
  ends: fc.infiniteStream(fc.boolean()),
  isRepeated: fc.infiniteStream(fc.nat(5)),
  /** Number of events that arrive before each hand-over is recorded. */
  recordedAfter: fc.tuple(fc.nat(14), fc.nat(14)),
  isOnlyAttempt: fc.boolean(),
});

const take = <Value>(stream: Iterator<Value>): Value => stream.next().value as Value;

it('relabelling results in the same verdicts and counters in any order and any batches', async () => {
  await fc.assert(
    fc.asyncProperty(arrival, async ({ hits, order, ends, isRepeated, recordedAfter, isOnlyAttempt }) => {
      const { emails } = await sendMail(database, [1, 2]);
      const events = hits.map(({ email, at, position, verdict }): EngagementEvent => {
        const common = { id: uuidV7(SENT_AT + at), emailTrackingId: emails[email]!.trackingId, verdict };
        if (position === null) return { type: 'opened', ...common };
        return { type: 'clicked', ...common, linkPosition: position, url: `https://shop.example/${position}` };
      });
      const shuffled = events.map((event) => ({ event, key: take(order) })).sort((a, b) => a.key - b.key);
      let batch: EngagementEvent[] = [];
      const flush = async (): Promise<void> => {
        if (batch.length > 0)
          await flushBatch(
            database,
            batch.map((event) => ({ event, streamEntryId: '1-1' })),
            WINDOWS,
          );
        batch = [];
      };
      for (let arrived = 0; arrived <= 14; arrived++) {
        for (const [index, { id, trackingId }] of emails.entries()) {
          if (recordedAfter[index] !== arrived) continue;
          await flush();
          await recordHandOver(id, isOnlyAttempt);
          batch.push({ type: 'sent', id: uuidV7(SENT_AT), emailTrackingId: trackingId });
        }
        const next = shuffled[arrived];
        if (next) batch.push(next.event, ...(take(isRepeated) === 0 ? [shuffled[0]!.event] : []));
        if (take(ends)) await flush();
      }
      await flush();
      expect(await storedVerdicts(emails)).toEqual(verdictsOf(events, emails, isOnlyAttempt));
      expect(await storedCounters(database)).toEqual(await countersOfEvents(database));
    }),
    { numRuns: 80, endOnFailure: true },
  );
});

async function recordHandOver(id: string, isOnlyAttempt: boolean): Promise<void> {
  await database.query('update emails set sent_at = $2, attempts = $3 where id = $1', [
    ...[id, new Date(SENT_AT), isOnlyAttempt ? 1 : 2],
  ]);
  const urls = Array.from({ length: LINKS }, (_, position) => `https://shop.example/${position}`);
  await database.query('insert into email_links (email_id, urls) values ($1, $2)', [id, urls]);
}

/** The rules applied once to all events of each email. */
function verdictsOf(
  events: readonly EngagementEvent[],
  emails: readonly { readonly trackingId: string }[],
  isOnlyAttempt: boolean,
): ReadonlyMap<string, number> {
  const facts = { sentAt: SENT_AT, isOnlyAttempt, linkCount: LINKS };
  return new Map(
    emails.flatMap(({ trackingId }) => {
      const own = events.filter(({ emailTrackingId }) => emailTrackingId === trackingId).flatMap(hitOf);
      const changed = classifyHits(own, facts, WINDOWS);
      return own.map((one) => [one.id, changed.get(one) ?? one.verdict] as const);
    }),
  );
}

function hitOf(event: EngagementEvent): ClassifiedHit[] {
  if (event.type !== 'opened' && event.type !== 'clicked') return [];
  const position = event.type === 'clicked' ? event.linkPosition : null;
  return [{ id: event.id, at: timeOfUuidV7(event.id), position, verdict: event.verdict ?? NO_SIGN }];
}

async function storedVerdicts(emails: readonly { readonly id: string }[]): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query<{ id: string; verdict: number }>(
    `select distinct id, verdict from events where type <> 'sent' and email_id = any($1::uuid[])`,
    [emails.map(({ id }) => id)],
  );
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  return new Map(rows.map(({ id, verdict }) => [id, verdict]));
}
