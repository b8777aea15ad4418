import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { freePort } from '../../src/embedded/free-port.js';
import { eventually } from '../support/eventually.js';
import { Program } from '../support/program.js';
import { createTestDatabase, createTestRedis, type TestDatabase } from '../support/services.js';

/** `MIGRATION_LOCK` of `platform/database/migrate.ts`, which never changes. */
const MIGRATION_LOCK = '7219533004';

let database: TestDatabase;
let migrating: Client;
let spool: string;
let program: Program | undefined;

beforeEach(async () => {
  database = await createTestDatabase();
  migrating = new Client({ connectionString: database.url });
  await migrating.connect();
  spool = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
});

afterEach(async () => {
  await program?.end();
  await migrating.end();
  await database.drop();
  await rm(spool, { recursive: true, force: true });
});

it('a process ends after a signal while its start waits for the migration of another one', async () => {
  await migrating.query(`select pg_advisory_lock(${MIGRATION_LOCK})`);
  program = Program.start('roles/main.js', {
    DATABASE_URL: database.url,
    REDIS_URL: (await createTestRedis()).url,
    SMTP_URL: 'smtp://127.0.0.1:1',
    SPOOL_DIRECTORY: spool,
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    BASE_URL: 'http://track.test',
    ENCRYPTION_KEYS: newEncryptionKey('test'),
    ROLES: 'api,tracking,worker,flusher',
  });
  // It has asked for the lock, did not get it, and will ask again.
  await eventually(async () => {
    const { rows } = await migrating.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'mailbeacon'
         and query = 'rollback'`,
    );
    return rows.length > 0;
  });
  program.signal('SIGTERM');
  await eventually(() => program!.hasEnded);
  expect(program.output).toContain('Stopped before the start was complete');
});
