import fc from 'fast-check';
import { recordSuppressed } from '../../../src/emails/recipients/record-suppressed.js';
import type { RecipientEvent } from '../../../src/events/recipient-event.js';
import type { Database } from '../../../src/platform/database/database.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import {
  flushReported,
  mailToReportOn,
  readReported,
  readWebhooks,
  RECIPIENTS,
  reportOf,
  type ReportedMail,
} from './reported-mail.js';

const LIMIT = 3;
const [ANN, BOB, CAROL] = RECIPIENTS;

let opened: OpenTestDatabase;
let database: Database;
let mail: ReportedMail;
beforeAll(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
});
beforeEach(async () => {
  mail = await mailToReportOn(database, 1);
});
afterAll(() => opened.close());

const email = () => mail.emails[0]!;
const flush = (...events: RecipientEvent[]) => flushReported(database, events, LIMIT);
/** A report as a shared return path produces it: an address beside a tracking ID. */
const shared = (address: string, fact: 'bounced' | 'complained', bounce: 'hard' | 'soft' = 'hard') =>
  reportOf(email().trackingId, address, fact, fact === 'bounced' ? { bounce } : {});

async function guarded(): Promise<{ bounced: number; complained: number }> {
  const [row] = await database.query<{ bounced: number; complained: number }>(
    `select coalesce(sum(bounced), 0)::int as bounced, coalesce(sum(complained), 0)::int as complained
       from sending_rates where organization_id = $1`,
    [mail.organizationId],
  );
  return row!;
}

describe('a report on a return path that several recipients share', () => {
  it('applies to the first recipient: a bounce and a complaint suppress as usual', async () => {
    await flush(shared(BOB, 'bounced'), shared(CAROL, 'complained'));
    const { suppressions } = await readReported(database, mail);
    expect(suppressions).toEqual(['bob@example.com bounce', 'carol@example.com complaint']);
    expect(await guarded()).toEqual({ bounced: 1, complained: 1 });
  });

  it('tells live clients of no complaint that is only noted', async () => {
    const { live: first } = await flush(shared(ANN, 'complained'));
    expect(first.map(({ type }) => type)).toEqual(['email.complained']);
    const { live: second } = await flush(shared(BOB, 'complained'));
    expect(second).toEqual([]);
  });

  it('shows a bounce of another recipient without a kind, and notes a complaint', async () => {
    await flush(shared(ANN, 'bounced'), shared(ANN, 'complained'));
    await flush(shared(BOB, 'bounced'), shared(CAROL, 'complained'));
    const { suppressions, records, campaign } = await readReported(database, mail);
    expect(suppressions).toEqual(['ann@example.com bounce', 'ann@example.com complaint']);
    expect(records.map(({ address, facts }) => [address, facts])).toEqual([
      [BOB, 4],
      [ANN, 4 | 8 | 128],
    ]);
    expect(campaign).toMatchObject({ bounced: 2, complained: 1 });
    expect(await guarded()).toEqual({ bounced: 1, complained: 1 });
    const types = await database.query(
      'select type, bounce from delivery_events where email_id = $1 order by arrival',
      [email().id],
    );
    expect(types).toEqual([
      { type: 'bounced', bounce: 'hard' },
      { type: 'complained', bounce: null },
      { type: 'bounced', bounce: null },
      { type: 'noted', bounce: null },
    ]);
    const webhooks = (await readWebhooks(database, mail)).map(({ type, data }) => [type, data.recipient, data.bounce]);
    expect(webhooks).toContainEqual(['EMAIL_BOUNCED', BOB, null]);
    expect(webhooks.filter(([type]) => type === 'EMAIL_COMPLAINED')).toHaveLength(1);
  });

  it('cannot suppress another recipient by many soft bounces', async () => {
    await flush(shared(ANN, 'bounced', 'soft'));
    for (let times = 0; times < LIMIT + 2; times++) await flush(shared(BOB, 'bounced', 'soft'));
    expect((await readReported(database, mail)).suppressions).toEqual([]);
  });

  it.each([
    [false, 16, []],
    [true, 16 | 4 | 128, ['bob@example.com bounce']],
  ])(
    'about a recipient who was left out, when an earlier copy may have arrived: %j',
    async (isInDoubt, facts, known) => {
      const leftOut = { address: BOB, reason: 'manual' } as const;
      const event = { emailId: email().id, suppressed: [leftOut], at: Date.now(), isInDoubt };
      await database.transaction((sql) => recordSuppressed(sql, [event]));
      await flush(shared(BOB, 'bounced'));
      const { suppressions, records } = await readReported(database, mail);
      expect(records).toMatchObject([{ address: BOB, facts }]);
      expect(suppressions).toEqual(known);
    },
  );

  it('does not change what a provider reports about each recipient', async () => {
    const known = (address: string, fact: RecipientEvent['fact']) =>
      reportOf(email().id, address, fact, fact === 'bounced' ? { bounce: 'hard' } : {});
    await flush(known(ANN, 'bounced'), known(BOB, 'bounced'));
    await flush(known(BOB, 'complained'), known(CAROL, 'complained'), reportOf(email().trackingId, 0, 'complained'));
    const { suppressions } = await readReported(database, mail);
    expect(suppressions).toEqual([
      ...['ann@example.com bounce', 'ann@example.com complaint', 'bob@example.com bounce'],
      ...['bob@example.com complaint', 'carol@example.com complaint'],
    ]);
    expect(await guarded()).toEqual({ bounced: 2, complained: 3 });
  });

  it('affects at most one recipient, and counts once, in any order and any batches', async () => {
    const report = fc.record({
      address: fc.constantFrom(...RECIPIENTS),
      fact: fc.constantFrom('bounced' as const, 'complained' as const),
      bounce: fc.constantFrom('hard' as const, 'soft' as const),
      together: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(report, { maxLength: 12 }), async (reports) => {
        mail = await mailToReportOn(database, 1);
        const entries: RecipientEvent[][] = [];
        for (const { address, fact, bounce, together } of reports) {
          if (together && entries.length > 0) entries.at(-1)!.push(shared(address, fact, bounce));
          else entries.push([shared(address, fact, bounce)]);
        }
        for (const entry of entries) await flush(...entry);
        const { suppressions } = await readReported(database, mail);
        for (const reason of ['bounce', 'complaint'])
          expect(suppressions.filter((one) => one.endsWith(reason)).length).toBeLessThanOrEqual(1);
        const { bounced, complained } = await guarded();
        expect([bounced <= 1, complained <= 1]).toEqual([true, true]);
        expect(complained).toBe(reports.some(({ fact }) => fact === 'complained') ? 1 : 0);
      }),
      { numRuns: 40 },
    );
  });
});
