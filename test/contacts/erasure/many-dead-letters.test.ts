import { ErasureSteps } from '../../../src/contacts/erasure/erasure-steps.js';
import { storeDeadLetters } from '../../../src/events/dead-letters/dead-letters.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import type { Database } from '../../../src/platform/database/database.js';
import { reportOf } from '../../emails/recipients/reported-mail.js';
import { insertOrganization } from '../../support/backlog.js';
import { CapturedLog } from '../../support/captured-log.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

const [JANE, BOB] = ['jane@example.com', 'bob@example.com'];
const LETTERS = 2_400;
/** A statement has fifteen seconds, and Postgres searches some thousand letters a second. */
const MOST_PER_STEP = 1_000;

let open: OpenTestDatabase;
let database: Database;
beforeAll(async () => {
  open = await openTestDatabase(2);
  ({ database } = open);
});
afterAll(() => open?.close());

/** Every second letter is about Jane. All times are equal, as after a flush of many. */
async function bury(): Promise<void> {
  const letters = Array.from({ length: LETTERS }, (_, index) => ({
    streamEntryId: `${index}-0`,
    payload: packEntry([encodeEvent(reportOf(`unknown-${index}`, index % 2 === 0 ? JANE : BOB, 'delivered'))]),
    reason: 'unknown-email' as const,
  }));
  await storeDeadLetters(database, letters);
}

const lettersAbout = async (address: string): Promise<number> => {
  const [row] = await database.query<{ letters: number }>(
    `select count(*)::integer as letters from event_dead_letters where encode(payload, 'escape') like '%' || $1 || '%'`,
    [address],
  );
  return row!.letters;
};

it('an erasure searches the dead letters of all organizations in many short steps, and misses none', async () => {
  const steps = new ErasureSteps(
    database,
    { count: () => undefined } as never,
    new CapturedLog('warn', ['worker']).logger,
  );
  await bury();
  const [erasure] = await database.query<{ id: string }>(
    `insert into contact_erasures (id, organization_id, address_key) values (gen_random_uuid(), $1, $2) returning id`,
    [await insertOrganization(database), JANE],
  );
  for (let before = await lettersAbout(JANE), goesOn = true; goesOn;) {
    goesOn = await steps.goOn(erasure!.id);
    const left = await lettersAbout(JANE);
    expect(before - left).toBeLessThanOrEqual(MOST_PER_STEP);
    before = left;
  }
  expect(await lettersAbout(JANE)).toBe(0);
  expect(await lettersAbout(BOB)).toBe(LETTERS / 2);
  expect(await database.query('select from contact_erasures')).toEqual([]);
});
