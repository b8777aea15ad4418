import { Pool } from 'pg';
import { sealedColumns } from '../../../src/cli/encryption.commands.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { Database } from '../../../src/platform/database/database.js';
import { newEncryptionKey, readEncryptionKeys } from '../../../src/platform/encryption/encryption-keys.js';
import { reencryptColumn, sealContext } from '../../../src/platform/encryption/sealed-column.js';
import { SecretBox } from '../../../src/platform/encryption/secret-box.js';
import { createTestDatabase, type TestDatabase } from '../../support/services.js';

const column = { table: 'notes', column: 'sealed_text' };
const [older, newer] = [newEncryptionKey('k1'), newEncryptionKey('k2')];
const before = new SecretBox(readEncryptionKeys(older)!);
const during = new SecretBox(readEncryptionKeys(`${newer},${older}`)!);
const after = new SecretBox(readEncryptionKeys(newer)!);

/** 'whsec_pinned' under a key of 32 times 7. */
const PINNED = 'v1.k1.AQEBAQEBAQEBAQEBWs857MWa0pEeTQTx0f_JEwGJ-tLz4Jxnv7q5RQ';

let testDatabase: TestDatabase;
let pool: Pool;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  pool = new Pool({ connectionString: testDatabase.url, max: 2 });
  database = new Database(pool);
  await database.query('create table notes (id uuid primary key, sealed_text text)');
});
afterAll(async () => {
  await pool.end();
  await testDatabase.drop();
});

it('seals again under the newer key what the older one sealed, once, so that the older can go', async () => {
  const ids = Array.from({ length: 1_200 }, () => uuidV7(Date.now()));
  await database.query(`insert into notes select * from unnest($1::uuid[], $2::text[])`, [
    ids,
    ids.map((id) => before.seal(`secret of ${id}`, sealContext(column, id))),
  ]);
  await database.query('insert into notes values ($1, null)', [uuidV7(Date.now())]);

  expect(await reencryptColumn(database, during, column)).toMatchObject({ count: ids.length, unreadable: 0 });

  const rows = await database.query<{ id: string; sealed_text: string | null }>('select * from notes');
  const opened = rows.flatMap(({ id, sealed_text: sealed }) =>
    sealed === null ? [] : [[id, after.open(sealed, sealContext(column, id)).toString()]],
  );
  expect(new Map(opened as [string, string][])).toEqual(new Map(ids.map((id) => [id, `secret of ${id}`])));
  expect(await reencryptColumn(database, during, column)).toMatchObject({ count: 0, unreadable: 0 });
});

it('reaches every column that is named as sealed', async () => {
  const found = await database.query(
    `select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and column_name like 'sealed\\_%' and table_name <> 'notes' order by 1, 2`,
  );
  const known = [...sealedColumns].sort((one, other) => one.table.localeCompare(other.table));
  expect(known).toEqual(found);
});

it('does not overwrite a value that changes concurrently', async () => {
  const id = uuidV7(Date.now());
  const sealed = (text: string) => before.seal(text, sealContext(column, id));
  await database.query('delete from notes');
  await database.query('insert into notes values ($1, $2)', [id, sealed('old')]);
  const meddling = {
    query: async (text: string, values: unknown[]) => {
      if (text.startsWith('update')) {
        await database.query('update notes set sealed_text = $1', [sealed('rotated meanwhile')]);
      }
      return database.query(text, values);
    },
  };
  expect(await reencryptColumn(meddling as unknown as Database, during, column)).toMatchObject({
    count: 0,
    unreadable: 0,
  });
  const [row] = await database.query<{ text: string }>('select sealed_text as text from notes');
  expect(during.open(row!.text, sealContext(column, id)).toString()).toBe('rotated meanwhile');
});

it('binds a value to its table, column and row, by a text that must never change', () => {
  expect(sealContext({ table: 'notes', column: 'sealed_text' }, '7')).toBe('notes.sealed_text.7');
});

it('opens what an earlier build sealed', () => {
  const key = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
  const box = new SecretBox(readEncryptionKeys(key)!);
  expect(box.open(PINNED, sealContext(column, '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77')).toString()).toBe('whsec_pinned');
});
