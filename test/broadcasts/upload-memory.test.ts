import { setImmediate } from 'node:timers/promises';
import { RecipientUploads } from '../../src/broadcasts/recipients/recipient-upload.js';
import { csvRecipients, ndjsonRecipients } from '../../src/broadcasts/recipients/recipient-lines.js';
import type { Caller } from '../../src/organizations/api-key-authenticator.js';
import type { Budgets } from '../../src/organizations/budgets/budgets.js';
import { insertOrganization } from '../support/backlog.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';
import { insertDraft } from './insert-draft.js';

let opened: OpenTestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened.close());

/** Those that are being stored, and those of the next batch. */
const HELD = 2 * 1_000;
const LINES_OF_PIECE = 100;
/** Short pieces are joined until they have 16 KB. */
const LINES_OF_JOINED_PIECES = 700;
const TURNS = 2_000;

const callerOf = (organizationId: string): Caller =>
  ({ organizationId, plan: 'unlimited', allowedDomains: null, actor: { kind: 'key', id: 'x' } }) as unknown as Caller;

it.each(['x', 'я', '語'])('an upload of long variables of %s holds few of them at a time', async (letter) => {
  const batches: number[] = [];
  const counting = {
    spendBytes: (_owner: unknown, bytes: number, work: () => unknown) => {
      batches.push(bytes);
      return work();
    },
  };
  const { database } = opened;
  const organizationId = await insertOrganization(database);
  const uploads = new RecipientUploads(database, counting as unknown as Budgets);
  const caller = callerOf(organizationId);
  const id = await insertDraft(opened.database, organizationId);
  const text = letter.repeat(9_900 / Buffer.byteLength(letter));
  const lines = Array.from({ length: 1_000 }, (_, n) =>
    Buffer.from(`${JSON.stringify({ to: `r${n}@example.com`, variables: { text }, metadata: { text } })}\n`),
  );
  async function* stream(): AsyncGenerator<Buffer> {
    yield* lines;
  }
  expect(await uploads.upload(caller, id, ndjsonRecipients(stream()))).toMatchObject({ added: 1_000 });
  expect(batches.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(19_000_000);
  expect(Math.max(...batches)).toBeLessThan(2_200_000);
});

it('a CSV file of short rows with many columns becomes few recipients at a time', async () => {
  const columns = Array.from({ length: 1_000 }, (_, n) => n.toString(36).padStart(2, '_'));
  async function* file(): AsyncGenerator<Buffer> {
    yield Buffer.from(`to,${columns.join()}\n${'a@b.example\n'.repeat(2_000)}`);
  }
  const groups: number[] = [];
  for await (const lines of csvRecipients(file())) {
    const bytes = lines.map(({ recipient }) => (typeof recipient === 'string' ? 0 : recipient.variables!.length));
    groups.push(bytes.reduce((sum, one) => sum + one, 0));
  }
  expect(groups.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(14_000_000);
  expect(Math.max(...groups)).toBeLessThan(1_100_000);
});

it('an upload reads no further than two batches beyond what Postgres has stored, however long it is', async () => {
  const { database } = opened;
  const organizationId = await insertOrganization(database);
  const id = await insertDraft(opened.database, organizationId);
  const unlimited = { spendBytes: (_owner: unknown, _bytes: number, work: () => unknown) => work() };
  const uploads = new RecipientUploads(database, unlimited as unknown as Budgets);
  const caller = callerOf(organizationId);
  let [read, mayRead] = [0, HELD * 2];
  async function* lines(): AsyncGenerator<Buffer> {
    while (read < mayRead) {
      const piece = Array.from({ length: LINES_OF_PIECE }, () => `{"to":"reader${read++}@example.com"}\n`);
      yield Buffer.from(piece.join(''));
    }
  }
  let uploaded: ReturnType<RecipientUploads['upload']> | undefined;
  await whileLocked(
    database,
    (sql) => sql.query('select from broadcasts where id = $1 for update', [id]),
    async () => {
      // Only the check of the broadcast waits yet: nothing is read before it.
      uploaded = uploads.upload(caller, id, ndjsonRecipients(lines()));
      await lockedOut(database, 1);
      expect(read).toBe(0);
    },
  );
  expect(await uploaded).toMatchObject({ added: HELD * 2 });
  mayRead += HELD * 5;
  await whileLocked(
    database,
    // Only the statement that stores recipients waits for this one.
    (sql) =>
      sql.query(
        `insert into broadcast_recipients (broadcast_id, address_key, address, place)
       values ($1, 'reader${HELD * 2}@example.com', 'x', 1e9)`,
        [id],
      ),
    async () => {
      uploaded = uploads.upload(caller, id, ndjsonRecipients(lines()));
      await lockedOut(database, 1);
      for (let turn = 0; turn < TURNS; turn++) await setImmediate();
      expect(read - HELD * 2).toBeLessThanOrEqual(HELD + LINES_OF_JOINED_PIECES);
    },
  );
  expect(await uploaded).toMatchObject({ added: HELD * 5 - 1, repeated: 1 });
});
