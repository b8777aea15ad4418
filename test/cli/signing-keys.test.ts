import { openDatabase } from '../../src/platform/database/open-database.js';
import { runCommand } from '../support/command-line.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase?.drop());

it('signing-key rotate creates the first key, which signs at once, and then one that signs later', async () => {
  const rotate = async () => {
    const { code, output } = await runCommand({ DATABASE_URL: testDatabase.url }, 'signing-key', 'rotate');
    expect([code, output]).toEqual([0, expect.stringContaining('signsFrom')]);
    return JSON.parse(output) as { id: number; signsFrom: string };
  };
  const database = await openDatabase(testDatabase.url, 1);
  try {
    await database.query('delete from signing_keys');
    const signsIn = async (id: number) => {
      const [key] = await database.query<{ seconds: number }>(
        'select round(extract(epoch from created_at - now()))::integer as seconds from signing_keys where id = $1',
        [id],
      );
      return key!.seconds;
    };
    const first = await rotate();
    expect(first.id).toBe(1);
    expect(await signsIn(1)).toBeLessThanOrEqual(0);
    const second = await rotate();
    expect(second.id).toBe(2);
    expect(await signsIn(2)).toBeGreaterThan(0);
  } finally {
    await database.pool.end();
  }
});
