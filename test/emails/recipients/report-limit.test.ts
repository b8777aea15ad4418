import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { flushReported, mailToReportOn, readReported, readWebhooks, reportOf, RECIPIENTS } from './reported-mail.js';
import type { RecipientEvent } from '../../../src/events/recipient-event.js';

const [ann, bob] = RECIPIENTS;
/** Of an email to three recipients. */
const LIMIT = 300;
const MANY = 1_000;

let open: OpenTestDatabase;
beforeEach(async () => (open = await openTestDatabase()));
afterEach(() => open.close());

function many(count: number, reportAt: (index: number) => RecipientEvent): RecipientEvent[] {
  return Array.from({ length: count }, (_, index) => reportAt(index));
}

describe('of an email with very many reports', () => {
  it.each(['deferred', 'noted', 'delivered', 'resubscribed'] as const)(
    'stores no more with %s, in one batch or in several, and counts them',
    async (fact) => {
      const mail = await mailToReportOn(open.database, 2);
      const [flooded, other] = mail.emails;
      const now = Date.now();
      const flood = many(MANY, (index) => reportOf(flooded!.id, ann, fact, { at: now + index }));
      let [stored, dropped] = [0, 0];
      for (const batch of [flood.slice(0, 200), flood.slice(200, 500), flood.slice(500)]) {
        const { reports } = await flushReported(open.database, batch);
        for (const counts of reports) {
          stored += counts.stored.length;
          expect(counts.dropped.every(({ reason }) => reason === 'too-many')).toBe(true);
          dropped += counts.dropped.length;
        }
      }
      expect([stored, dropped]).toEqual([LIMIT, MANY - LIMIT]);
      await flushReported(open.database, [reportOf(other!.id, ann, fact)]);
      expect((await readReported(open.database, mail)).events).toHaveLength(LIMIT + 1);
    },
  );

  it('stores the first report of each other fact', async () => {
    const mail = await mailToReportOn(open.database, 1);
    const { id } = mail.emails[0]!;
    await flushReported(
      open.database,
      many(MANY, () => reportOf(id, ann, 'deferred')),
    );
    await flushReported(open.database, [
      reportOf(id, ann, 'delivered'),
      reportOf(id, ann, 'bounced', { bounce: 'soft' }),
      reportOf(id, ann, 'bounced', { bounce: 'hard' }),
      reportOf(id, ann, 'complained'),
      reportOf(id, bob, 'unsubscribed'),
    ]);
    const { campaign, suppressions, events } = await readReported(open.database, mail);
    expect(events).toHaveLength(LIMIT + 5);
    expect(campaign).toMatchObject({ deferred: 1, delivered: 1, bounced: 1, complained: 1, unsubscribed: 1 });
    expect(suppressions).toEqual([`${ann} bounce`, `${ann} complaint`, `${bob.toLowerCase()} unsubscribe`]);
  });

  it('a recipient who changes their mind for ever ends up unsubscribed, and causes no more webhooks', async () => {
    const mail = await mailToReportOn(open.database, 1);
    const { id } = mail.emails[0]!;
    const now = Date.now();
    const toggle = (index: number) =>
      reportOf(id, ann, index % 2 === 0 ? 'unsubscribed' : 'resubscribed', { at: now + index });
    const toggles = many(MANY, toggle);
    for (let at = 0; at < MANY; at += 250) await flushReported(open.database, toggles.slice(at, at + 250));
    const { campaign, suppressions, events } = await readReported(open.database, mail);
    expect(events).toHaveLength(LIMIT + 1);
    expect(await readWebhooks(open.database, mail)).toHaveLength(LIMIT + 1);
    expect(campaign).toMatchObject({ unsubscribed: 1 });
    expect(suppressions).toEqual([`${ann} unsubscribe`]);
  });

  it('stores no unsubscriptions that an earlier decision has overtaken', async () => {
    const mail = await mailToReportOn(open.database, 1);
    const { id } = mail.emails[0]!;
    const now = Date.now();
    await flushReported(open.database, [reportOf(id, ann, 'resubscribed', { at: now + MANY })]);
    for (let round = 0; round < 2; round++) {
      await flushReported(
        open.database,
        many(MANY / 2, (index) => reportOf(id, ann, 'unsubscribed', { at: now + index })),
      );
    }
    expect((await readReported(open.database, mail)).events).toHaveLength(LIMIT);
  });
});
