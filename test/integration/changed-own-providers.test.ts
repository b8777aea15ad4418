import type { OrganizationProviderView } from '../../src/organizations/providers/provider-view.js';
import { eventually } from '../support/eventually.js';
import { SendGridStub } from '../support/sendgrid-stub.js';
import { TestService, type TestClient } from '../support/service.js';
import { addOwnProvider, verifyWithoutDns } from '../support/stored-provider.js';

/** Longer than a test waits. */
const LATER_S = '600';

let sendGrid: SendGridStub;
let service: TestService;
let client: TestClient;
let provider: string;
let domain: string;
let organizations = 0;

beforeAll(async () => {
  sendGrid = await SendGridStub.listen();
  service = await TestService.start({
    environment: { SENDGRID_API_URL: sendGrid.url, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' },
  });
});
beforeEach(async () => {
  client = await service.organization();
  domain = `acme${(organizations += 1)}.example`;
  await verifyWithoutDns(service, client.organizationId, domain);
  provider = await addOwnProvider(service, client.organizationId, {
    type: 'sendgrid',
    credentials: { apiKey: 'SG.own' },
  });
  // Workers may not know for two seconds that there are own providers.
  await eventually(async () => {
    const before = sendGrid.messages.length;
    await send();
    return sendGrid.messages.length > before;
  });
});
afterAll(async () => {
  await service?.stop();
  await sendGrid?.close();
});

function send(headers: Record<string, string> = {}) {
  const email = { from: `a@${domain}`, to: 'ada@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  return client.post('/api/send', email, headers);
}

async function addAnother(): Promise<void> {
  const another = { name: 'B', type: 'sendgrid', credentials: { apiKey: 'SG.another' } };
  expect((await client.post('/api/providers', another)).status).toBe(201);
}

/** Two emails that wait for the end of a pause: one was refused, the job of the other waits. */
async function throttled(): Promise<void> {
  sendGrid.scripts.add('*', { status: 429, headers: { 'retry-after': LATER_S }, body: { errors: [] } }, 1);
  const isPaused = async () => {
    const { body } = await client.get<OrganizationProviderView>(`/api/providers/${provider}`);
    return body.state === 'throttled';
  };
  await send({ prefer: 'respond-async' });
  await eventually(isPaused);
  await send({ prefer: 'respond-async' });
  await eventually(async () => {
    const [row] = await service.database.query<{ waiting: number }>(
      `select count(*) filter (where due_at > now() or dispatched_at is not null)::integer as waiting
         from pending_emails where organization_id = $1 and lease_token is null`,
      [client.organizationId],
    );
    return row!.waiting === 2;
  });
}

describe('mail that waits because an own provider is throttled goes on within seconds', () => {
  it('through the service once the provider is deleted', async () => {
    await throttled();
    const before = service.mailServer.messages.length;
    expect((await client.delete(`/api/providers/${provider}`)).status).toBe(204);
    await eventually(() => service.mailServer.messages.length === before + 2);
  });

  it('through the same provider once it is changed', async () => {
    await throttled();
    const before = sendGrid.messages.length;
    expect((await client.patch(`/api/providers/${provider}`, { credentials: { apiKey: 'SG.more' } })).status).toBe(200);
    await eventually(() => sendGrid.messages.length === before + 2);
  });

  it('through another provider once it is added', async () => {
    await throttled();
    const before = sendGrid.messages.length;
    await addAnother();
    await eventually(() => sendGrid.messages.length === before + 2);
  });
});

it('a second copy that is due later stays with its provider, and waits, when another one is changed', async () => {
  await addAnother();
  sendGrid.scripts.add('*', { status: 500, body: {} }, 1);
  await send({ prefer: 'respond-async' });
  const pending = () =>
    service.database.query(
      'select due_at, possible_duplicate from pending_emails where organization_id = $1 and lease_token is null and due_at > now()',
      [client.organizationId],
    );
  const [doubtful] = await eventually(async () => {
    const rows = await pending();
    return rows.length === 1 && rows;
  });
  expect(doubtful).toMatchObject({ possible_duplicate: true });
  expect((await client.patch(`/api/providers/${provider}`, { weight: 1 })).status).toBe(200);
  expect(await pending()).toEqual([doubtful]);
});
