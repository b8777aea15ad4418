import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { freePort } from '../../src/embedded/free-port.js';
import { eventually } from '../support/eventually.js';
import { becomesReady } from '../support/program.js';
import { createTestDatabase, createTestRedis, type TestDatabase } from '../support/services.js';

let database: TestDatabase;
let spool: string;
beforeAll(async () => {
  database = await createTestDatabase();
  spool = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
});
afterAll(async () => {
  await database?.drop();
  await rm(spool, { recursive: true, force: true });
});

(process.platform === 'linux' ? it : it.skip)(
  'clients cannot take all files of a process that may open few of them',
  async () => {
    const port = await freePort();
    const command = ['-c', 'ulimit -n 100; exec "$0" dist/roles/main.js', process.execPath];
    const program = spawn('sh', command, {
      env: {
        ...{ PATH: process.env['PATH'], ROLES: 'tracking', SPOOL_DIRECTORY: spool },
        ...{ DATABASE_URL: database.url, REDIS_URL: (await createTestRedis()).url, DRAIN_DELAY_MS: '0' },
        ...{ HOST: '127.0.0.1', PORT: String(port), BASE_URL: 'http://track.test' },
        ENCRYPTION_KEYS: newEncryptionKey('test'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    program.stdout.on('data', (chunk) => (output += String(chunk)));
    const clients: Socket[] = [];
    try {
      await becomesReady(`http://127.0.0.1:${port}`);
      for (let count = 0; count < 120; count++) {
        const client = connect(port, '127.0.0.1').on('error', () => undefined);
        clients.push(client.resume());
      }
      await eventually(() => output.includes('Refusing connections'));
      // Those that it refuses are closed, too.
      await eventually(() => clients.filter(({ closed }) => !closed).length <= 10);
      expect(output).toContain('only 100 files and connections open, so it serves 10 connections instead of 10000');
    } finally {
      for (const client of clients) client.destroy();
      const ended = once(program, 'exit');
      program.kill('SIGTERM');
      await ended;
    }
    expect(output).not.toContain('EMFILE');
  },
);
