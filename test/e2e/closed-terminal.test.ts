import { execFileSync, spawn } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findEmbeddedServices } from '../../src/embedded/embedded-services.js';
import { freePort } from '../../src/embedded/free-port.js';
import { eventually } from '../support/eventually.js';
import { becomesReady } from '../support/program.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';
import { hasTerminals } from '../support/terminal.js';
import { makeThrowAwayDirectory } from '../support/throw-away-directory.js';

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = await makeThrowAwayDirectory('mailbeacon-terminal-');
  execFileSync(process.execPath, ['scripts/assemble.mjs', folder]);
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

(hasTerminals ? it : it.skip)('a closed terminal stops the process and the services that it has started', async () => {
  const port = String(await freePort());
  const { PATH = '' } = process.env;
  const terminal = spawn(
    'script',
    ['--quiet', '--command', `exec '${process.execPath}' dist/roles/main.js`, '/dev/null'],
    {
      cwd: folder,
      env: {
        ...{ PATH, TERM: 'dumb', SHELL: '/bin/sh', HOST: '127.0.0.1', PORT: port, OPERATOR_PORT: '0' },
        // Only Redis is embedded.
        ...{ DATABASE_URL: database.url, SMTP_URL: 'smtp://127.0.0.1:9' },
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  terminal.stdout.resume();
  let redis: Redis | undefined;
  try {
    await becomesReady(`http://127.0.0.1:${port}`);
    const embedded = await findEmbeddedServices(folder);
    redis = new Redis(embedded!.redisUrl!, { retryStrategy: null });
    redis.on('error', () => undefined);
    expect(await redis.ping()).toBe('PONG');
    terminal.kill('SIGKILL');
    await eventually(() => redis!.status === 'end', 30_000);
    await eventually(() =>
      stat(join(folder, '.mailbeacon', 'lock')).then(
        () => false,
        () => true,
      ),
    );
  } finally {
    terminal.kill('SIGKILL');
    terminal.stdin.destroy();
    await redis?.shutdown('NOSAVE').catch(() => undefined);
    redis?.disconnect();
  }
});
