import { Pool } from 'pg';
import { Database } from '../../../src/platform/database/database.js';
import { listDeadLetters, purgeDeadLetters, storeDeadLetters } from '../../../src/events/dead-letters/dead-letters.js';
import { redriveDeadLetters } from '../../../src/events/dead-letters/redrive-dead-letters.js';
import { createTestDatabase, type TestDatabase } from '../../support/services.js';

let testDatabase: TestDatabase;
let pool: Pool;
let database: Database;
let appended: string[];
const append = async (payload: Buffer): Promise<void> => void appended.push(payload.toString());

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  pool = new Pool({ connectionString: testDatabase.url, max: 4 });
  database = new Database(pool);
  appended = [];
});

afterEach(async () => {
  await pool.end();
  await testDatabase.drop();
});

/** All at the same time, so they are ordered by ID. */
async function bury(count: number): Promise<string[]> {
  const payloads = Array.from({ length: count }, (_, index) => `letter ${index}`);
  await storeDeadLetters(
    database,
    payloads.map((payload) => ({ streamEntryId: '1-1', payload: Buffer.from(payload), reason: 'unknown-email' })),
  );
  return payloads;
}

describe('retrying dead letters', () => {
  it('removes those that are in the stream and keeps the others if Redis goes down midway', async () => {
    const payloads = await bury(5);
    const third = async (payload: Buffer): Promise<void> => {
      if (appended.length === 2) throw new Error('unreachable');
      await append(payload);
    };
    await expect(redriveDeadLetters(database, third, 'all')).rejects.toThrow('unreachable');
    const kept = (await listDeadLetters(database, 10)).map(({ payload }) => payload.toString());
    expect([...appended, ...kept].sort()).toEqual(payloads);
    expect(kept).toHaveLength(3);

    await expect(redriveDeadLetters(database, () => Promise.reject(new Error('unreachable')), 'all')).rejects.toThrow(
      'unreachable',
    );
    expect(await listDeadLetters(database, 10)).toHaveLength(3);
    expect(await redriveDeadLetters(database, append, 'all')).toEqual({ redriven: 3, left: 0 });
    expect(appended.sort()).toEqual(payloads);
    expect(await listDeadLetters(database, 10)).toEqual([]);
  });

  it('reads thousands page by page, each once, and not those that fail again meanwhile', async () => {
    const payloads = await bury(1_250);
    const diesAgain = async (payload: Buffer): Promise<void> => {
      await append(payload);
      if (appended.length % 250 !== 0) return;
      await storeDeadLetters(database, [{ streamEntryId: '2-1', payload, reason: 'unknown-email' }]);
    };
    expect(await redriveDeadLetters(database, diesAgain, 'all')).toEqual({ redriven: 1_250, left: 0 });
    expect(appended.sort()).toEqual(payloads.sort());
    expect(await listDeadLetters(database, 10)).toHaveLength(5);
  });

  it('reads a page from the index alone, even after many were deleted before it', async () => {
    await database.query(
      `insert into event_dead_letters (id, stream_entry_id, payload, reason, created_at)
       select gen_random_uuid(), '1-1', 'x', 'unknown-email', now() - n * interval '1 s' from generate_series(1, 20000) n`,
    );
    await database.query('analyze event_dead_letters');
    const seen: string[] = [];
    const explained = {
      ...database,
      prepared: database.prepared.bind(database),
      query: async <Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> => {
        if (/order by created_at, id/.test(sql)) {
          const plan = await database.query<Record<'QUERY PLAN', string>>(`explain ${sql}`, values);
          seen.push(plan.map((line) => line['QUERY PLAN']).join('\n'));
          return [];
        }
        return database.query<Row>(sql, values);
      },
    };
    await redriveDeadLetters(explained, append, 'all');
    expect(seen).toHaveLength(1);
    expect(seen[0]).toContain('event_dead_letters_created_at');
    expect(seen[0]).not.toContain('Sort');
  });
});

describe('deleting old dead letters', () => {
  it('takes a thousand at a time, so that no statement exceeds its time limit, and keeps newer ones', async () => {
    await bury(3);
    await database.query(
      `insert into event_dead_letters (id, stream_entry_id, payload, reason, created_at)
       select gen_random_uuid(), '1-1', 'x', 'unknown-email', now() - interval '8 days' from generate_series(1, 12000)`,
    );
    const deleted: number[] = [];
    const counted = {
      ...database,
      prepared: database.prepared.bind(database),
      query: async <Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> => {
        const rows = await database.query<Row>(sql, values);
        deleted.push(rows.length);
        return rows;
      },
    };
    expect(await purgeDeadLetters(counted, 7)).toBe(12_000);
    expect(Math.max(...deleted)).toBeLessThanOrEqual(5_000);
    expect(await listDeadLetters(database, 10)).toHaveLength(3);
    expect(await purgeDeadLetters(database, 7)).toBe(0);
  });
});
