import { Pool } from 'pg';
import { AuditLog, operatorOf } from '../../../src/organizations/audit/record-audit.js';
import { readSettings } from '../../../src/platform/config/settings.js';
import { Database } from '../../../src/platform/database/database.js';
import { createTestDatabase, type TestDatabase } from '../../support/services.js';

let test: TestDatabase;
let pool: Pool;
let database: Database;

beforeEach(async () => {
  test = await createTestDatabase();
  pool = new Pool({ connectionString: test.url, max: 2 });
  database = new Database(pool);
});
afterEach(async () => {
  await pool.end();
  await test.drop();
});

async function record(daysAgo = 0): Promise<void> {
  await AuditLog.record(database, {
    ...operatorOf(null),
    action: 'signing-key.rotated',
    target: { kind: 'signing-key', id: 'k1' },
  });
  if (daysAgo === 0) return;
  await database.query(
    `insert into audit_entries (id, at, actor_kind, actor_id, action, target_kind)
     values (gen_random_uuid(), now() - make_interval(days => $1), 'operator', 'root', 'key.created', 'key')`,
    [daysAgo],
  );
}

const count = async (): Promise<number> =>
  (await database.query<{ count: number }>('select count(*)::int as count from audit_entries'))[0]!.count;

describe('the audit log is append-only', () => {
  it.each([
    `update audit_entries set actor_id = 'somebody else'`,
    'delete from audit_entries',
    'truncate audit_entries',
    'truncate audit_entries cascade',
  ])('refuses, even from the owner of the table: %s', async (statement) => {
    await record(400);
    await expect(database.query(statement)).rejects.toThrow('audit_entries is append-only');
    expect(await count()).toBe(2);
  });

  it('deletes nothing younger than 30 days, for any given number of days', async () => {
    await record(31);
    await database.query('select delete_expired_audit_entries(0, 100)');
    expect(await count()).toBe(1);
    await expect(
      database.transaction(async (sql) => {
        await sql.query(`set local mailbeacon.audit_retention = 'on'`);
        await sql.query('delete from audit_entries');
      }),
    ).rejects.toThrow('audit_entries is append-only');
  });

  it('are kept for a year by default', async () => {
    const { AUDIT_RETENTION_DAYS } = readSettings({});
    expect(AUDIT_RETENTION_DAYS).toBe(365);
    for (const daysAgo of [364, 366]) await record(daysAgo);
    await database.query('select delete_expired_audit_entries($1, 100)', [AUDIT_RETENTION_DAYS]);
    const old = await database.query<{ days: number }>(
      `select extract(day from now() - at)::int as days from audit_entries where action = 'key.created'`,
    );
    expect(old).toEqual([{ days: 364 }]);
  });

  it('stores an entry in the transaction of the change, and neither without the other', async () => {
    const change = database.transaction(async (sql) => {
      await AuditLog.record(sql, {
        ...operatorOf(null),
        action: 'signing-key.rotated',
        target: { kind: 'key', id: null },
      });
      throw new Error('the change failed');
    });
    await expect(change).rejects.toThrow('the change failed');
    expect(await count()).toBe(0);
  });
});
