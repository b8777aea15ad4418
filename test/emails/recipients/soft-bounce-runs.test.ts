import fc from 'fast-check';
import type { Database } from '../../../src/platform/database/database.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { flushReported, mailToReportOn, readReported, reportOf } from './reported-mail.js';

const LIMIT = 3;
const START = Date.now();

let opened: OpenTestDatabase;
let database: Database;
beforeAll(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
});
afterAll(() => opened.close());

interface Arrival {
  readonly fact: 'bounced' | 'delivered';
  /** Milliseconds after the start; few different values, so that many are equal. */
  readonly after: number;
  /** True when it arrives in the same entry as the one before. */
  readonly together: boolean;
}

/** Whether an arriving soft bounce completed the limit at any moment, in the order of time and then of arrival. */
function reachesLimit(arrivals: readonly Arrival[]): boolean {
  return arrivals.some(({ fact }, index) => {
    if (fact === 'delivered') return false;
    const known = arrivals.slice(0, index + 1).map((arrival, order) => ({ ...arrival, order }));
    known.sort((one, other) => one.after - other.after || one.order - other.order);
    const run = known.slice(known.findLastIndex((one) => one.fact === 'delivered') + 1);
    return run.length >= LIMIT;
  });
}

/** Whether the address is suppressed after these reports of two emails arrive. */
async function isSuppressed(arrivals: readonly Arrival[]): Promise<boolean> {
  const mail = await mailToReportOn(database, 2);
  const entries: ReturnType<typeof reportOf>[][] = [];
  for (const [index, { fact, after, together }] of arrivals.entries()) {
    const details = { at: START + after, ...(fact === 'bounced' && { bounce: 'soft' as const }) };
    const report = reportOf(mail.emails[index % 2]!.id, 0, fact, details);
    if (together && entries.length > 0) entries.at(-1)!.push(report);
    else entries.push([report]);
  }
  for (const entry of entries) await flushReported(database, entry, LIMIT);
  return (await readReported(database, mail)).suppressions.length > 0;
}

const soft = (after: number, together = false): Arrival => ({ fact: 'bounced', after, together });
const delivered = (after: number, together = false): Arrival => ({ fact: 'delivered', after, together });

describe('soft bounces in a row are ordered by the time of the event, then by arrival', () => {
  it.each([
    ['a delivery of the same millisecond that arrives first begins the run', [delivered(0), soft(0), soft(0), soft(0)]],
    ['the same in one entry', [delivered(0), soft(0, true), soft(0, true), soft(0, true)]],
  ])('%s', async (_, arrivals) => {
    expect(await isSuppressed(arrivals)).toBe(true);
  });

  it.each([
    ['a delivery of the same millisecond that arrives later ends the run', [soft(0), soft(0), delivered(0), soft(0)]],
    ['the same in one entry', [soft(0), soft(0, true), delivered(0, true), soft(0, true)]],
    ['a later delivery ends the run although it arrives first', [delivered(2), soft(1), soft(1), soft(1)]],
  ])('%s', async (_, arrivals) => {
    expect(await isSuppressed(arrivals)).toBe(false);
  });

  it('in any order and any batches', async () => {
    const arrival = fc.record({
      fact: fc.constantFrom('bounced' as const, 'bounced' as const, 'delivered' as const),
      after: fc.nat({ max: 2 }),
      together: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(arrival, { minLength: 3, maxLength: 9 }), async (arrivals) => {
        expect(await isSuppressed(arrivals)).toBe(reachesLimit(arrivals));
      }),
      { numRuns: 60 },
    );
  });
});
