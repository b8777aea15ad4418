import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../../src/embedded/free-port.js';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { eventually } from '../support/eventually.js';
import { becomesReady, Program } from '../support/program.js';
import { createTestDatabase, createTestRedis, type TestDatabase } from '../support/services.js';

/** `MIGRATION_LOCK` of `platform/database/migrate.ts`, which never changes. */
const MIGRATION_LOCK = '7219533004';

let database: TestDatabase;
let migrating: Client;
let spool: string;
let program: Program;
let other: Server;

beforeEach(async () => {
  database = await createTestDatabase();
  migrating = new Client({ connectionString: database.url });
  await migrating.connect();
  spool = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  other = createServer();
});

afterEach(async () => {
  other.close();
  await program?.end();
  await migrating.end();
  await database.drop();
  await rm(spool, { recursive: true, force: true });
});

/** Loaded before a program, which then chooses this port first. */
function choosing(port: number): string {
  const script = `
    import crypto from 'node:crypto';
    import { syncBuiltinESMExports } from 'node:module';
    crypto.randomInt = () => ${port};
    syncBuiltinESMExports();`;
  return `--import=data:text/javascript,${encodeURIComponent(script)}`;
}

it('a process listens on the port that it has chosen for PORT=0, although another program wants it meanwhile', async () => {
  await migrating.query(`select pg_advisory_lock(${MIGRATION_LOCK})`);
  const port = await freePort();
  program = Program.start('roles/main.js', {
    NODE_OPTIONS: choosing(port),
    DATABASE_URL: database.url,
    REDIS_URL: (await createTestRedis()).url,
    SMTP_URL: 'smtp://127.0.0.1:1',
    SPOOL_DIRECTORY: spool,
    HOST: '127.0.0.1',
    PORT: '0',
    OPERATOR_PORT: '0',
    ENCRYPTION_KEYS: newEncryptionKey('test'),
  });
  // The start waits, after the choice and before the process listens.
  await eventually(async () => {
    const { rows } = await migrating.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'mailbeacon'
         and query = 'rollback'`,
    );
    return rows.length > 0;
  });
  other.listen(port, '127.0.0.1');
  const outcome = await Promise.race([once(other, 'listening'), once(other, 'error')]).catch((error: unknown) => [
    error,
  ]);
  await migrating.query(`select pg_advisory_unlock(${MIGRATION_LOCK})`);
  await program.prints('"Ready"');
  expect(outcome).toEqual([expect.objectContaining({ code: 'EADDRINUSE' })]);
  await becomesReady(`http://localhost:${port}`, program);
  program.signal('SIGTERM');
  expect(await program.ended()).toBe(0);
});
