import { deleteSuppressions } from '../../src/suppressions/delete-suppressions.js';
import { insertSuppressions, type SuppressionInput } from '../../src/suppressions/insert-suppressions.js';
import { sendMail } from '../roles/flusher/sent-mail.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let open: OpenTestDatabase;
let organizationId: string;

beforeAll(async () => {
  open = await openTestDatabase();
  ({ organizationId } = await sendMail(open.database, []));
});
afterAll(() => open.close());

const entry = (address: string, reason: SuppressionInput['reason'], note: string | null = null) => ({
  ...{ organizationId, address, reason, note },
});
const stored = () =>
  open.database.query('select address, reason, note from suppressions order by address_key collate "C", reason');

it('inserts one row per address and reason, and changes none that exists', async () => {
  const { database } = open;
  const [ann, bob] = [entry('Ann@example.com', 'manual', 'says "no\\never"'), entry('bob@example.com', 'bounce')];
  const again = entry('ann@EXAMPLE.com', 'manual', 'again');
  expect(await insertSuppressions(database, [bob, ann, again])).toEqual([
    { organizationId, addressKey: 'ann@example.com', reason: 'manual' },
    { organizationId, addressKey: 'bob@example.com', reason: 'bounce' },
  ]);
  expect(await insertSuppressions(database, [again, entry('Ann@example.com', 'complaint', '')])).toEqual([
    { organizationId, addressKey: 'ann@example.com', reason: 'complaint' },
  ]);
  expect(await insertSuppressions(database, [])).toEqual([]);
  expect(await stored()).toEqual([
    { address: 'Ann@example.com', reason: 'complaint', note: null },
    { address: 'Ann@example.com', reason: 'manual', note: 'says "no\\never"' },
    { address: 'bob@example.com', reason: 'bounce', note: null },
  ]);
  const complaint = { organizationId, addressKey: 'ann@example.com', reason: 'complaint' } as const;
  await deleteSuppressions(database, [complaint, { ...complaint, addressKey: 'bob@example.com' }]);
  expect(await stored()).toMatchObject([{ reason: 'manual' }, { reason: 'bounce' }]);
});

it('deletes what an erasure left of a suppression, and keeps those for other reasons', async () => {
  const { database } = open;
  for (const reason of ['complaint', 'unsubscribe'])
    await database.query(
      `insert into erased_suppressions (organization_id, address_hash, reason, created_at)
       values ($1, person_hash($1, 'jane@example.com'), $2, now())`,
      [organizationId, reason],
    );
  await deleteSuppressions(database, [{ organizationId, addressKey: 'jane@example.com', reason: 'unsubscribe' }]);
  expect(await database.query('select reason from erased_suppressions')).toEqual([{ reason: 'complaint' }]);
});
