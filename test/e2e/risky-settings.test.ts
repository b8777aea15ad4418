import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { freePort } from '../../src/embedded/free-port.js';
import { Program } from '../support/program.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';
import { makeThrowAwayDirectory } from '../support/throw-away-directory.js';

let folder: string;
let database: TestDatabase;
let program: Program | undefined;

beforeAll(async () => {
  folder = await makeThrowAwayDirectory('mailbeacon-risky-');
  execFileSync(process.execPath, ['scripts/assemble.mjs', folder]);
  database = await createTestDatabase();
});
afterAll(async () => {
  program?.signal('SIGTERM');
  await program?.ended();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

it('a process warns about the settings as they were given, before embedded services fill them in', async () => {
  const port = String(await freePort());
  program = Program.startIn(folder, 'roles/main.js', {
    ...{
      DATABASE_URL: database.url,
      SMTP_URL: 'smtp://127.0.0.1:25',
      HOST: '127.0.0.1',
      PORT: port,
      OPERATOR_PORT: '0',
    },
    ...{ BASE_URL: `http://127.0.0.1:${port}`, ENCRYPTION_KEYS: newEncryptionKey('test') },
  });
  await program.prints('Mailbeacon is ready');
  const warnings = program.output.split('\n').filter((line) => line.includes('"level":40'));
  expect(warnings.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'Only one of Postgres and Redis is embedded: set both DATABASE_URL and REDIS_URL, or neither',
  ]);
});
