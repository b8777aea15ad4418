import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { freePort } from '../../src/embedded/free-port.js';
import { becomesReady } from '../support/program.js';
import { createTestDatabase, createTestRedis, type TestDatabase } from '../support/services.js';

/** A file on a full disk: every write fails with ENOSPC. */
const FULL = '/dev/full';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

(existsSync(FULL) ? it : it.skip)('a process whose log cannot be written serves on, and ends as usual', async () => {
  const log = await open(FULL, 'w');
  const port = String(await freePort());
  const program = spawn(process.execPath, ['dist/roles/main.js'], {
    env: {
      PATH: process.env['PATH'],
      ROLES: 'flusher',
      DATABASE_URL: database.url,
      REDIS_URL: (await createTestRedis()).url,
      HOST: '127.0.0.1',
      PORT: port,
      // Rarely intended, so the process logs a warning, too.
      AMBIGUOUS_RESEND_AFTER_MS: '0',
    },
    stdio: ['ignore', log.fd, 'pipe'],
  });
  let errors = '';
  program.stderr!.on('data', (chunk) => (errors += String(chunk)));
  const ended = once(program, 'exit') as Promise<[number | null]>;
  try {
    await becomesReady(`http://127.0.0.1:${port}`);
    program.kill('SIGTERM');
    const [code] = await ended;
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  } finally {
    program.kill('SIGKILL');
    await log.close();
  }
});
