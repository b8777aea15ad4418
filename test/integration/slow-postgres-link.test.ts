import type { BatchResponse } from '../../src/emails/accept/batch/batch-response.js';
import { TestService, type TestClient } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';

/** Bytes per second. */
const SLOW = 1_000_000;
const MESSAGE = { from: 'ada@acme.example', subject: 'S', textContent: 'T' };

let direct: TestService;
let service: TestService;
let cable: TcpProxy;
let client: TestClient;

beforeAll(async () => {
  direct = await TestService.start({ environment: { ROLES: 'flusher' } });
  cable = await TcpProxy.before(new URL(direct.settings.DATABASE_URL));
  const settings = { ...direct.settings, DATABASE_URL: cable.through(direct.settings.DATABASE_URL) };
  service = await TestService.start({
    beside: { settings, mailServer: direct.mailServer },
    environment: { ROLES: 'api', DATABASE_POOL_SIZE: '2' },
  });
  const { organizationId, apiKey } = await direct.organization();
  client = service.client(organizationId, apiKey);
});
afterEach(() => cable?.limitTo(Infinity));
afterAll(async () => {
  await service?.stop();
  await direct?.stop();
  await cable?.goDown();
});

function batch(size: number): object {
  const htmlContent = `<p>${'x'.repeat(1_000_000)}</p>`;
  const emails = Array.from({ length: size }, (_, n) => ({ ...MESSAGE, to: `reader-${n}@example.com`, htmlContent }));
  return { emails };
}

it('a batch is stored although Postgres receives it for longer than a transaction may be idle', async () => {
  const send = (size: number) => client.post<BatchResponse>('/api/send/batch', batch(size));
  // A statement that is not prepared yet has no idle time, so both connections prepare theirs.
  await Promise.all([send(1), send(1)]);
  cable.limitTo(SLOW);
  const { status, body } = await send(7);
  expect({ status, emails: body.emails?.length }).toEqual({ status: 202, emails: 7 });
});
