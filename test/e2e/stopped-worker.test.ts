import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { eventually } from '../support/eventually.js';
import { Program } from '../support/program.js';
import { SendGridStub } from '../support/sendgrid-stub.js';
import { TestService } from '../support/service.js';
import { throughSendGrid } from '../support/through-sendgrid.js';

const DELIVERY_TIMEOUT_MS = 1_000;

let sendGrid: SendGridStub;
let api: TestService;
let worker: Program;

beforeEach(async () => {
  sendGrid = await SendGridStub.listen();
  const shared = { ENCRYPTION_KEYS: newEncryptionKey('test'), ...throughSendGrid(sendGrid) };
  api = await TestService.start({ environment: { ROLES: 'api', ...shared } });
  const { settings } = api;
  worker = Program.start('roles/main.js', {
    ...shared,
    HOST: '127.0.0.1',
    PORT: '0',
    OPERATOR_PORT: '0',
    ROLES: 'worker',
    DATABASE_URL: settings.DATABASE_URL,
    REDIS_URL: settings.REDIS_URL,
    BASE_URL: settings.BASE_URL,
    SPOOL_DIRECTORY: settings.SPOOL_DIRECTORY,
    DELIVERY_TIMEOUT_MS: String(DELIVERY_TIMEOUT_MS),
  });
});

afterEach(async () => {
  await worker?.end();
  await api?.stop();
  await sendGrid?.close();
});

it('a response that arrived while its worker was stopped for longer than the deadline of the call counts', async () => {
  const client = await api.organization();
  let respond = (): void => undefined;
  const after = new Promise<void>((resolve) => (respond = resolve));
  sendGrid.scripts.add('*', { status: 202, headers: { 'X-Message-Id': 'sg-1' }, after });
  const email = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await client.post<{ emailTrackingId: string }>('/api/send', email, { prefer: 'respond-async' });
  await eventually(() => sendGrid.requests.length === 1, 60_000);
  worker.signal('SIGSTOP');
  respond();
  const stoppedAt = performance.now();
  await eventually(() => performance.now() - stoppedAt > 2 * DELIVERY_TIMEOUT_MS);
  worker.signal('SIGCONT');
  const tried = await eventually(async () => {
    const { body: found } = await client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`);
    return found.status !== 'sending' && found;
  });
  expect(tried).toMatchObject({ status: 'sent', attempts: 1, possibleDuplicate: false, lastError: null });
});
