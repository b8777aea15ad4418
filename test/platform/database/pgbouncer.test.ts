import { Database } from '../../../src/platform/database/database.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { openDatabase, type Pooling } from '../../../src/platform/database/open-database.js';
import { SharedSessionError } from '../../../src/platform/database/shared-sessions.js';
import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import type { SendResponse } from '../../../src/emails/accept/send-response.js';
import { eventually } from '../../support/eventually.js';
import { findPgBouncer, PgBouncer } from '../../support/pgbouncer.js';
import { AWAIT_RESULT, TestService } from '../../support/service.js';
import { createEmptyDatabase, createTestDatabase } from '../../support/services.js';

const withPgBouncer = findPgBouncer() === undefined ? describe.skip : describe;
const timeouts = { connectMs: 3_000, statementMs: 500 };
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function pooled(mode: Pooling): Promise<string> {
  const { url, drop } = await createTestDatabase();
  const bouncer = await PgBouncer.before(url, mode);
  closers.push(drop, () => bouncer.stop());
  return bouncer.url;
}

async function open(url: string, pooling: Pooling, poolSize = 4): Promise<Database> {
  const database = await openDatabase(url, poolSize, { timeouts, pooling });
  closers.push(() => database.pool.end());
  return database;
}

async function settingsOf(database: Database): Promise<object> {
  const [row] = await database.query<object>(
    `select current_setting('statement_timeout') as statement, current_setting('enable_seqscan') as scans,
            current_setting('idle_in_transaction_session_timeout') as idle`,
  );
  return row!;
}

withPgBouncer.each(['session', 'transaction'] as const)('PgBouncer in %s mode', (mode) => {
  it('can be migrated through by several processes at once', async () => {
    const { url, drop } = await createEmptyDatabase();
    const bouncer = await PgBouncer.before(url, mode);
    closers.push(drop, () => bouncer.stop());
    await Promise.all([migrate(bouncer.url), migrate(bouncer.url), migrate(bouncer.url)]);
  });

  it('keeps the settings of every statement, whichever session it gets', async () => {
    const database = await open(await pooled(mode), mode);
    const seen = await Promise.all(Array.from({ length: 20 }, () => settingsOf(database)));
    for (const settings of seen) expect(settings).toEqual({ statement: '500ms', scans: 'off', idle: '5s' });
    const inTransactions = await Promise.all(
      Array.from({ length: 8 }, () =>
        database.transaction((sql) => sql.query(`select current_setting('statement_timeout') as statement`)),
      ),
    );
    expect(inTransactions).toEqual(Array(8).fill([{ statement: '500ms' }]));
    await expect(database.query('select pg_sleep(5)')).rejects.toMatchObject({ code: '57014' });
  });

  it('runs the same statement on all its sessions', async () => {
    const database = await open(await pooled(mode), mode);
    const numbers = Array.from({ length: 40 }, (_, number) => number);
    const rows = await Promise.all(
      numbers.map((number) => database.prepared('same', 'select $1::int as number, pg_sleep(0.01)', [number])),
    );
    expect(rows.map(([row]) => row!['number'])).toEqual(numbers);
  });

  it('works for a service that sends and counts opens', async () => {
    const url = await pooled(mode);
    const service = await TestService.start({
      environment: { DATABASE_URL: url, DATABASE_POOLING: mode, ...AWAIT_RESULT },
    });
    closers.push(() => service.stop());
    const client = await service.organization();
    const sends = await Promise.all(
      Array.from({ length: 20 }, (_, number) =>
        client.post<SendResponse>('/api/send', {
          ...{ from: 'ada@acme.example', to: `reader-${number}@example.com`, subject: 'S', htmlContent: '<p>x</p>' },
        }),
      ),
    );
    expect(sends.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const { emailTrackingId, pixelUrl } = sends[0]!.body;
    await service.track(pixelUrl);
    await eventually(async () => {
      const { body } = await client.get<EmailDetail>(`/api/emails/${emailTrackingId}`);
      return body.opens === 1;
    });
  });
});

withPgBouncer('PgBouncer in transaction mode that this process does not know of', () => {
  it('is refused at start with an error that names the setting to change', async () => {
    await expect(open(await pooled('transaction'), 'session')).rejects.toThrow(SharedSessionError);
  });
});
