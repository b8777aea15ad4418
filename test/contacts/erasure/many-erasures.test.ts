import { ErasureSteps, LOCK_DUE } from '../../../src/contacts/erasure/erasure-steps.js';
import { storeDeadLetters } from '../../../src/events/dead-letters/dead-letters.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import type { Database } from '../../../src/platform/database/database.js';
import { reportOf } from '../../emails/recipients/reported-mail.js';
import { insertOrganization } from '../../support/backlog.js';
import { CapturedLog } from '../../support/captured-log.js';
import { rowsRead } from '../../support/rows-read.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

const BUSY = 100;
/** Every erasure searches them in several steps. */
const LETTERS = 2_000;

let open: OpenTestDatabase;
let database: Database;
beforeAll(async () => {
  open = await openTestDatabase(2);
  ({ database } = open);
});
afterAll(() => open?.close());

async function insertErasures(erasures: number, age = '0'): Promise<string> {
  const organizationId = await insertOrganization(database);
  await database.query(
    `insert into contact_erasures (id, organization_id, address_key, step_at)
     select gen_random_uuid(), $1, number || '@example.com', now() - $3::interval from generate_series(1, $2::integer) number`,
    [organizationId, erasures, age],
  );
  return organizationId;
}

it('an erasure goes on beside a hundred of another organization', async () => {
  const letters = Array.from({ length: LETTERS }, (_, index) => ({
    streamEntryId: `${index}-0`,
    payload: packEntry([encodeEvent(reportOf(`unknown-${index}`, 'bob@example.com', 'delivered'))]),
    reason: 'unknown-email' as const,
  }));
  await storeDeadLetters(database, letters);
  const busy = await insertErasures(BUSY);
  const only = await insertErasures(1);
  const left = async (organizationId: string): Promise<number> =>
    (await database.query('select from contact_erasures where organization_id = $1', [organizationId])).length;
  const log = new CapturedLog('warn', ['worker']);
  const steps = new ErasureSteps(database, { count: () => undefined } as never, log.logger);
  let taken = 0;
  for (; (await left(only)) > 0; taken++) expect(await steps.next()).toBe(0);
  // Every second one is its own.
  expect(taken).toBeLessThan(BUSY);
  expect(await left(busy)).toBe(BUSY);
  expect(log.text).toBe('');
});

it('a step reads few of many thousands of due erasures, and takes organizations in turns', async () => {
  await database.query('delete from contact_erasures');
  const busy = await insertErasures(5_000, '1 h');
  const [first, second] = [await insertErasures(1, '2 min'), await insertErasures(1, '1 min')];
  await database.query('analyze contact_erasures');
  const next = async (...turns: string[]): Promise<string | undefined> => {
    const [found] = await database.query<{ organization_id: string }>(LOCK_DUE, [turns]);
    return found?.organization_id;
  };
  // The one that is due for longest; then those whose turn was not yet, or longest ago.
  expect(await next()).toBe(busy);
  expect(await next(busy)).toBe(first);
  expect(await next(busy, first)).toBe(second);
  expect(await next(second, busy, first)).toBe(second);
  expect(await rowsRead(database, 'contact_erasures', LOCK_DUE, [[busy]])).toBeLessThan(1_500);
});
