import fc from 'fast-check';
import { timeOfUuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { RECIPIENT_FACTS, type RecipientEvent } from '../../../src/events/recipient-event.js';
import { stateOf } from '../../../src/emails/recipients/recipient-state.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import {
  flushReported,
  mailToReportOn,
  readReported,
  readWebhooks,
  reportOf,
  RECIPIENTS,
  type ReportedMail,
} from './reported-mail.js';

let open: OpenTestDatabase;
beforeAll(async () => (open = await openTestDatabase(6)));
afterAll(() => open.close());

/** Just before the full hour, so that some reports are in the next one. */
const START = Date.UTC(2026, 10, 20, 9, 57);
const COUNTED = ['delivered', 'deferred', 'bounced', 'complained', 'suppressed'] as const;
/** Never reached, so that suppressions do not depend on the order of arrival. */
const NO_RUNS = 1_000;

interface Step {
  readonly email: number;
  readonly recipient: number;
  readonly fact: RecipientEvent['fact'];
  readonly bounce: 'hard' | 'soft';
  readonly minute: number;
  readonly reason: string | undefined;
}

const step: fc.Arbitrary<Step> = fc.record({
  email: fc.nat(1),
  recipient: fc.nat(RECIPIENTS.length - 1),
  fact: fc.constantFrom(...RECIPIENT_FACTS),
  bounce: fc.constantFrom('hard', 'soft'),
  minute: fc.nat(5),
  reason: fc.option(fc.constantFrom('550 no such user', 'busy'), { nil: undefined }),
});

function eventsOf(mail: ReportedMail, steps: readonly Step[]): RecipientEvent[] {
  return steps.map(({ email, recipient, fact, bounce, minute, reason }) =>
    reportOf(mail.emails[email]!.id, recipient, fact, {
      at: START + minute * 60_000,
      ...(fact === 'bounced' && { bounce }),
      ...(reason && { reason }),
    }),
  );
}

describe('what providers report about recipients', () => {
  it('results in the same rows and counters in any order, with any repetitions and batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 14 }),
        fc.infiniteStream(fc.nat()),
        fc.integer({ min: 1, max: 6 }),
        fc.boolean(),
        async (steps, random, batch, concurrently) => {
          const mail = await mailToReportOn(open.database, 2);
          const events = eventsOf(mail, steps);
          const shuffled = [...events, ...events].map((event) => ({ event, at: random.next().value! }));
          const order = shuffled.sort((a, b) => a.at - b.at).map(({ event }) => event);
          const batches = Array.from({ length: Math.ceil(order.length / batch) }, (_, at) =>
            order.slice(at * batch, (at + 1) * batch),
          );
          const flush = (part: RecipientEvent[]) => flushReported(open.database, part, NO_RUNS);
          if (concurrently) await Promise.all(batches.map(flush));
          else for (const part of batches) await flush(part);
          const after = await readReported(open.database, mail);
          expect(after.events).toEqual(events.map(({ id }) => id).sort());
          expect(after.campaign).toEqual(expectedCounts(events));
          expect(after.hours).toEqual(expectedHours(events));

          const webhooks = await readWebhooks(open.database, mail);
          for (const record of after.records) {
            const state = stateOf('sent', { ...record, handOver: record['state'] } as never);
            const news = webhooks.filter(
              ({ data }) => data['id'] === record['email_id'] && data['recipient'] === record['address'],
            );
            // At most one per state, and one for the final state of the recipient.
            const types = news.map(({ type, data }) => `${type} ${String(data['bounce'])}`);
            const states = types.filter((type) => !type.includes('SUBSCRIBED'));
            expect(states).toEqual([...new Set(states)]);
            const reported = !['sent', 'failed'].includes(state);
            expect(types.some((type) => type.startsWith(`EMAIL_${state.toUpperCase()} `))).toBe(reported);
          }

          const inOrder = await mailToReportOn(open.database, 2);
          const again = eventsOf(inOrder, steps).map((event, index) => ({ ...event, id: events[index]!.id }));
          await open.database.query('delete from delivery_events where organization_id = $1', [mail.organizationId]);
          for (const event of again.toSorted((a, b) => (a.id < b.id ? -1 : 1))) await flush([event]);
          const expected = await readReported(open.database, inOrder);
          const emailIds = new Map(inOrder.emails.map(({ id }, index) => [id, mail.emails[index]!.id]));
          expect({ ...after, events: [] }).toEqual({
            ...expected,
            events: [],
            records: expected.records.map((record) => ({
              ...record,
              email_id: emailIds.get(record['email_id'] as string),
            })),
          });
        },
      ),
      { numRuns: 40 },
    );
  });
});

/** Recipients that ever reached a fact; for unsubscriptions the latest report counts. */
function expectedCounts(events: readonly RecipientEvent[]): Record<string, number> {
  const recipients = (fact: string) =>
    new Set(events.filter((event) => event.fact === fact).map(({ email, recipient }) => `${email} ${recipient}`));
  return {
    ...Object.fromEntries(COUNTED.map((fact) => [fact, recipients(fact).size])),
    unsubscribed: unsubscribedIn(events).length,
  };
}

/** In the format of `readReported`. */
function expectedHours(events: readonly RecipientEvent[]): object[] {
  const counts = expectedCounts(events);
  const byHour = new Map<string, number>();
  for (const { id } of unsubscribedIn(events)) {
    const hour = new Date(timeOfUuidV7(id)).toISOString().slice(0, 13).replace('T', ' ');
    byHour.set(hour, (byHour.get(hour) ?? 0) + 1);
  }
  return [
    ...COUNTED.filter((fact) => fact !== 'suppressed').map((fact) => ({ fact, recipients: counts[fact] })),
    ...[...byHour]
      .sort()
      .map(([hour, recipients]) => ({ fact: expect.stringContaining(`unsubscribed ${hour}`) as string, recipients })),
  ];
}

/** The latest reports of those who unsubscribed and did not undo it. */
function unsubscribedIn(events: readonly RecipientEvent[]): RecipientEvent[] {
  const latest = new Map<string, RecipientEvent>();
  for (const event of events.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    if (event.fact.endsWith('subscribed')) latest.set(`${event.email} ${event.recipient}`, event);
  }
  return [...latest.values()].filter(({ fact }) => fact === 'unsubscribed');
}
