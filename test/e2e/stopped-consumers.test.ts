import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { eventually } from '../support/eventually.js';
import { Program } from '../support/program.js';
import { TestService } from '../support/service.js';

const HELD_HOST = pathToFileURL(join(import.meta.dirname, '../support/held-host.mjs')).href;
const ENCRYPTION_KEYS = newEncryptionKey('test');

let api: TestService;
let worker: Program | undefined;

beforeEach(async () => {
  api = await TestService.start({ environment: { ROLES: 'api', ENCRYPTION_KEYS, SEND_RESPONSE_TIMEOUT_MS: '30000' } });
});

afterEach(async () => {
  await worker?.end();
  await api.stop();
});

it('a signal during the start of a worker lets a delivery end that has begun before the process listens', async () => {
  const { settings, mailServer } = api;
  const client = await api.organization();
  let reply = (): void => undefined;
  mailServer.scripts.add('*', { phase: 'dot', after: new Promise<void>((resolve) => (reply = resolve)) });
  const email = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  const response = client.post('/api/send', email);
  worker = Program.start('roles/main.js', {
    NODE_OPTIONS: `--import=${HELD_HOST}`,
    HOST: 'held.test',
    PORT: '0',
    OPERATOR_PORT: '0',
    ROLES: 'worker',
    DATABASE_URL: settings.DATABASE_URL,
    REDIS_URL: settings.REDIS_URL,
    SMTP_URL: mailServer.url,
    BASE_URL: settings.BASE_URL,
    SPOOL_DIRECTORY: settings.SPOOL_DIRECTORY,
    ENCRYPTION_KEYS,
  });
  await eventually(() => mailServer.received.length === 1, 60_000);
  worker.signal('SIGTERM');
  reply();
  expect({ code: await worker.ended(), output: worker.output }).toEqual({ code: 0, output: expect.any(String) });
  expect(await response).toMatchObject({ status: 200 });
});
