import type { BroadcastOfEmails, MadeEmails } from '../../../src/broadcasts/sending/make-emails.js';
import { LOCK_BROADCAST } from '../../../src/broadcasts/sending/step-statements.js';
import { BroadcastStep } from '../../../src/broadcasts/sending/broadcast-step.js';
import { BroadcastSteps } from '../../../src/broadcasts/sending/broadcast-steps.js';
import type { Database, Sql } from '../../../src/platform/database/database.js';
import { insertOrganization } from '../../support/backlog.js';
import { CapturedLog } from '../../support/captured-log.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { rowsRead } from '../../support/rows-read.js';
import { noSingleSends } from '../../support/single-sends.js';

/** Broadcasts of one organization that wait until their emails are sent. */
const BUSY = 150;
const WAITING_EMAILS = 150;
/** Recipients of the only broadcast of another organization: ten steps. */
const RECIPIENTS = 2_000;

let opened: OpenTestDatabase;
beforeAll(async () => void (opened = await openTestDatabase(2)));
afterAll(() => opened?.close());

/** Makes no rows: its emails count as sent at once. */
const emails = {
  make: async (sql: Sql, { id }: BroadcastOfEmails, size: number): Promise<MadeEmails> => {
    await sql.query('update broadcasts set emails = emails + $2 where id = $1', [id, size]);
    return { settled: size, suppressed: 0 };
  },
};
const spending = { correct: () => undefined };
const budget = { take: (_owner: object, wanted: number) => Promise.resolve({ emails: wanted, spending }) };

async function insertBroadcasts(database: Database, broadcasts: number, recipients: number): Promise<string[]> {
  const organizationId = await insertOrganization(database);
  const rows = await database.query<{ id: string }>(
    `with campaign as (
       insert into campaigns (id, organization_id, name) values (gen_random_uuid(), $1, 'Spring') returning id
     ), message as (
       insert into messages (id, organization_id, subject, html) values (gen_random_uuid(), $1, 'S', 'x') returning id
     )
     insert into broadcasts (id, organization_id, campaign_id, message_id, name, sender, status, recipients, started_at, step_at)
     select gen_random_uuid(), $1, campaign.id, message.id, 'Spring', 'ada@acme.example', 'sending', $3::bigint, now(), now()
       from campaign, message, generate_series(1, $2::integer) returning id`,
    [organizationId, broadcasts, recipients],
  );
  return rows.map(({ id }) => id);
}

it('a broadcast goes on beside hundreds of another organization whose emails wait to be sent', async () => {
  const { database } = opened;
  const busy = await insertBroadcasts(database, BUSY, 1_000_000);
  await database.transaction(async (sql) => {
    // Only what the steps read.
    await sql.query('set local session_replication_role = replica');
    await sql.query(
      `insert into pending_emails (email_id, organization_id, broadcast_id)
       select gen_random_uuid(), gen_random_uuid(), id from unnest($1::uuid[]) as id, generate_series(1, ${WAITING_EMAILS})`,
      [busy],
    );
  });
  const [only] = await insertBroadcasts(database, 1, RECIPIENTS);
  const log = new CapturedLog('warn', ['worker']);
  const metrics = { count: () => undefined };
  const live = { report: () => undefined };
  const subjects = { areNeeded: () => false } as never;
  const step = new BroadcastStep(emails as never, subjects, budget as never, noSingleSends);
  const steps = new BroadcastSteps(database, step, subjects, metrics as never, live as never, log.logger);
  const isSent = async (): Promise<boolean> => {
    const [row] = await database.query<{ status: string }>('select status from broadcasts where id = $1', [only]);
    return row!.status === 'sent';
  };
  let taken = 0;
  for (; !(await isSent()); taken++) await steps.next();
  expect(log.text).toBe('');
  // Every second one is its own.
  expect(taken).toBeLessThan(BUSY);
});

it('a step reads few of many thousands of due broadcasts, and takes organizations in turns', async () => {
  const { database } = opened;
  await database.query('update broadcasts set step_at = null');
  const due = async (broadcasts: number, organizations: number, age: string): Promise<string[]> => {
    const ids: string[] = [];
    for (let number = 0; number < organizations; number++)
      ids.push(...(await insertBroadcasts(database, broadcasts, 1)));
    await database.query(
      `update broadcasts set step_at = now() - $2::interval + place * interval '1 ms'
         from unnest($1::uuid[]) with ordinality as made (id, place) where broadcasts.id = made.id`,
      [ids, age],
    );
    return ids;
  };
  const [busy] = await due(5_000, 1, '1 h');
  const [first, second] = await due(1, 2, '1 min');
  await database.query('analyze broadcasts');
  const owners: string[] = [];
  for (const id of [busy, first, second]) {
    const [row] = await database.query<{ owner: string }>(
      'select organization_id as owner from broadcasts where id = $1',
      [id],
    );
    owners.push(row!.owner);
  }
  const next = async (...turns: string[]): Promise<string | undefined> => {
    const [found] = await database.transaction((sql) => sql.query<{ id: string }>(LOCK_BROADCAST, [turns]));
    return found?.id;
  };
  // The one that is due for longest; then those whose turn was not yet, or longest ago.
  expect(await next()).toBe(busy);
  expect(await next(owners[0]!)).toBe(first);
  expect(await next(owners[0]!, owners[1]!)).toBe(second);
  expect(await next(owners[2]!, owners[0]!, owners[1]!)).toBe(second);
  expect(await rowsRead(database, 'broadcasts', LOCK_BROADCAST, [[owners[0]!]])).toBeLessThan(1_500);
});
