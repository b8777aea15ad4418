import type { OrganizationProviderView } from '../../src/organizations/providers/provider-view.js';
import { eventually } from '../support/eventually.js';
import { hold } from '../support/hold.js';
import { sendGridError, SendGridStub } from '../support/sendgrid-stub.js';
import { TestService, type TestClient } from '../support/service.js';
import { addOwnProvider, verifyWithoutDns } from '../support/stored-provider.js';

/** Longer than a test waits. */
const LATER_S = '600';
/** Longer than any pause lasts. */
const FAR = Date.now() + 30 * 24 * 3_600_000;
/** More than three runs of `HeldMail`, and less than the pause of a minute that such mail would otherwise wait out. */
const RELEASED_MS = 40_000;
const THROTTLED = { ...sendGridError(429, 'too many requests'), headers: { 'retry-after': LATER_S } };

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
  sendGrid.scripts.clear();
  sendGrid.apiKey = undefined;
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

async function send(headers: Record<string, string> = {}, to = 'ada@example.com'): Promise<string> {
  const email = { from: `a@${domain}`, to, subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await client.post<{ emailTrackingId: string }>('/api/send', email, headers);
  return body.emailTrackingId;
}

const later = { prefer: 'respond-async' };

async function stateOf(id: string): Promise<string> {
  return (await client.get<OrganizationProviderView>(`/api/providers/${id}`)).body.state;
}

const changeKey = async (apiKey: string): Promise<void> => {
  expect((await client.patch(`/api/providers/${provider}`, { credentials: { apiKey } })).status).toBe(200);
};

async function addAnother(apiKey: string): Promise<void> {
  const another = { name: 'B', type: 'sendgrid', credentials: { apiKey } };
  expect((await client.post('/api/providers', another)).status).toBe(201);
}

/** Emails that nobody is working on. */
async function waiting(): Promise<{ due_at: Date; possible_duplicate: boolean; dispatched_at: Date | null }[]> {
  return service.database.query(
    `select due_at, possible_duplicate, dispatched_at from pending_emails
      where organization_id = $1 and lease_token is null`,
    [client.organizationId],
  );
}

/** Two emails that wait, without jobs, for other credentials: one found out, the other was never tried. */
async function refused(): Promise<void> {
  sendGrid.apiKey = 'SG.right';
  await send(later);
  await eventually(async () => (await stateOf(provider)) === 'credential-refused');
  await send(later);
  await eventually(async () => {
    const rows = await waiting();
    return rows.length === 2 && rows.every((row) => row.dispatched_at === null && row.due_at.getTime() > FAR);
  });
}

describe('mail that waits because an own provider refuses the credentials goes on within seconds', () => {
  it('through the service once the provider is deleted', async () => {
    await refused();
    const before = service.mailServer.messages.length;
    expect((await client.delete(`/api/providers/${provider}`)).status).toBe(204);
    await eventually(() => service.mailServer.messages.length === before + 2, RELEASED_MS);
  });

  it('through the same provider once its credentials are right', async () => {
    await refused();
    const before = sendGrid.messages.length;
    await changeKey('SG.right');
    await eventually(() => sendGrid.messages.length === before + 2, RELEASED_MS);
  });

  it('through another provider once it is added', async () => {
    await refused();
    const before = sendGrid.messages.length;
    await addAnother('SG.right');
    await eventually(() => sendGrid.messages.length === before + 2, RELEASED_MS);
  });
});

it('mail that waits for a throttled provider keeps its place, so that the oldest goes first', async () => {
  sendGrid.scripts.add('*', THROTTLED, 1);
  await send(later);
  const [row] = await eventually(async () => {
    const rows = await waiting();
    return rows.length === 1 && rows[0]!.due_at.getTime() > Date.now() + 60_000 && rows;
  });
  expect(row!.due_at.getTime()).toBeLessThan(FAR);
});

it('a call that began before a change does not pause the changed provider, and its email goes on within seconds', async () => {
  const { held, release } = hold();
  sendGrid.scripts.add('*', { ...sendGridError(401, 'unauthorized'), after: held }, 1);
  const calls = sendGrid.calls;
  await send(later);
  await eventually(() => sendGrid.calls === calls + 1);
  await changeKey('SG.more');
  const before = sendGrid.messages.length;
  await send();
  expect(sendGrid.messages).toHaveLength(before + 1);
  release();
  await eventually(async () => (await waiting()).length === 1);
  expect(await stateOf(provider)).toBe('available');
  await send();
  await eventually(() => sendGrid.messages.length === before + 3, RELEASED_MS);
});

it('a second copy that is due later stays with its provider, and waits, when another one is changed', async () => {
  await addAnother('SG.another');
  sendGrid.scripts.add('*', { status: 500, body: {} }, 1);
  await send(later);
  const [doubtful] = await eventually(async () => {
    const rows = (await waiting()).filter((row) => row.due_at.getTime() > Date.now());
    return rows.length === 1 && rows;
  });
  expect(doubtful).toMatchObject({ possible_duplicate: true });
  expect((await client.patch(`/api/providers/${provider}`, { weight: 1 })).status).toBe(200);
  expect(await waiting()).toEqual([doubtful]);
});
