import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { freePort } from '../../src/embedded/free-port.js';
import { runCommand } from '../support/command-line.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let opened: OpenTestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened.close());

const redrive = (port: number) =>
  runCommand(
    { DATABASE_URL: opened.url, REDIS_URL: `redis://127.0.0.1:${port}` },
    ...['dead-letters', 'redrive', '--all'],
  );

describe('dead-letters redrive', () => {
  it('ends with the reason, and records nothing, while Redis is down', async () => {
    const { code, output } = await redrive(await freePort());
    expect([code, output]).toEqual([1, 'Redis cannot be reached at REDIS_URL: ECONNREFUSED\n']);
    expect(await opened.database.query('select 1 from audit_entries')).toEqual([]);
  });

  it('ends while Redis hangs', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { code, output } = await redrive((silent.address() as AddressInfo).port);
    silent.close();
    expect([code, output]).toEqual([1, 'Redis cannot be reached at REDIS_URL: Command timed out\n']);
  });
});
