import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { freePort } from '../../src/embedded/free-port.js';
import { storeDeadLetters } from '../../src/events/dead-letters/dead-letters.js';
import { encodeEvent, packEntry } from '../../src/events/stream/codec/event-codec.js';
import { opened as openedEvent } from '../roles/flusher/sent-mail.js';
import { runCommand } from '../support/command-line.js';
import { createTestRedis } from '../support/services.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let opened: OpenTestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened.close());

const redrive = (port: number) => redriveTo(`redis://127.0.0.1:${port}`);
const redriveTo = (REDIS_URL: string) =>
  runCommand({ DATABASE_URL: opened.url, REDIS_URL }, ...['dead-letters', 'redrive', '--all']);

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

  it('says why it leaves a letter whose events could count twice', async () => {
    const payload = packEntry([encodeEvent(openedEvent('read', Date.now() - 60 * 86_400_000))]);
    await storeDeadLetters(opened.database, [{ streamEntryId: '1-1', payload, reason: 'too-many-deliveries' }]);
    const { code, output } = await redriveTo((await createTestRedis()).url);
    expect(code).toBe(1);
    expect(output).toContain('"left": 1');
    expect(output).toContain('dead-letters purge');
    expect(await opened.database.query('select from event_dead_letters')).toHaveLength(1);
  });
});
