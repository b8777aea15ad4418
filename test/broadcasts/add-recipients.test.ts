import { addRecipients } from '../../src/broadcasts/recipients/add-recipients.js';
import { recipientBytes, type NewRecipient } from '../../src/broadcasts/recipients/new-recipient.js';
import { BroadcastNotFoundError } from '../../src/broadcasts/broadcast-errors.js';
import type { Sql } from '../../src/platform/database/database.js';
import { insertSuppressions } from '../../src/suppressions/insert-suppressions.js';
import { insertOrganization } from '../support/backlog.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';
import { insertDraft } from './insert-draft.js';

let opened: OpenTestDatabase;
let organizationId: string;

beforeAll(async () => {
  opened = await openTestDatabase();
  organizationId = await insertOrganization(opened.database);
});
afterAll(() => opened.close());

function add(sql: Sql, broadcastId: string, keys: readonly string[]): ReturnType<typeof addRecipients> {
  const recipients = keys.map((key) => ({ key, address: key, variables: '{"n":1}', metadata: null }));
  return addRecipients(sql, organizationId, broadcastId, recipients);
}

const bytesOf = (recipients: readonly NewRecipient[]): number =>
  recipients.reduce((sum, recipient) => sum + recipientBytes(recipient), 0);

const remove = (sql: Sql, id: string) => sql.query('delete from broadcasts where id = $1', [id]);
const left = (id: string) =>
  opened.database.query('select address_key from broadcast_recipients where broadcast_id = $1', [id]);

describe('recipients go with a draft that is deleted', () => {
  it('while they are added', async () => {
    const id = await insertDraft(opened.database, organizationId);
    let removed: Promise<unknown> | undefined;
    await whileLocked(
      opened.database,
      (sql) => add(sql, id, ['a@example.com']),
      async () => {
        removed = remove(opened.database, id);
        await lockedOut(opened.database, 1);
      },
    );
    await removed;
    expect(await left(id)).toEqual([]);
  });

  it('before they are added', async () => {
    const id = await insertDraft(opened.database, organizationId);
    let added: Promise<unknown> | undefined;
    await whileLocked(
      opened.database,
      (sql) => remove(sql, id),
      async () => {
        added = expect(add(opened.database, id, ['a@example.com'])).rejects.toThrow(BroadcastNotFoundError);
        await lockedOut(opened.database, 1);
      },
    );
    await added;
    expect(await left(id)).toEqual([]);
  });
});

it('of equal addresses in one batch, the first counts', async () => {
  const id = await insertDraft(opened.database, organizationId);
  const of = (n: number) => ({ key: `${n % 700}@example.com`, address: `Reader ${n} <${n % 700}@example.com>` });
  const batch = Array.from({ length: 2_000 }, (_, n) => ({ ...of(n), variables: null, metadata: null }));
  expect(await addRecipients(opened.database, organizationId, id, batch)).toEqual({
    ...{ added: 700, repeated: 1_300, suppressed: 0, bytes: bytesOf(batch.slice(0, 700)) },
  });
  const rows = await opened.database.query<{ address: string; place: string }>(
    'select address, place from broadcast_recipients where broadcast_id = $1 order by place',
    [id],
  );
  expect(rows).toEqual(batch.slice(0, 700).map(({ address }, n) => ({ address, place: String(n + 1) })));
});

it('an address that is suppressed for any reason gets no place, not even that of an erased person', async () => {
  const id = await insertDraft(opened.database, organizationId);
  const suppress = (address: string, reason: 'unsubscribe' | 'bounce' | 'complaint' | 'manual') =>
    insertSuppressions(opened.database, [{ organizationId, address, reason, note: null }]);
  await suppress('bounced@example.com', 'bounce');
  await suppress('left@example.com', 'unsubscribe');
  const keys = ['bounced@example.com', 'left@example.com', 'erased@example.com', 'here@example.com'];
  expect(await add(opened.database, id, keys)).toMatchObject({ added: 2, repeated: 0, suppressed: 2 });
  await opened.database.query(
    `insert into erased_suppressions (organization_id, address_hash, reason)
     values ($1, person_hash($1, 'erased@example.com'), 'unsubscribe')`,
    [organizationId],
  );
  const next = await insertDraft(opened.database, organizationId);
  expect(await add(opened.database, next, keys)).toMatchObject({ added: 1, repeated: 0, suppressed: 3 });
});
