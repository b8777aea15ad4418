import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { SessionView } from '../../src/users/sessions/session-view.js';
import type { Browser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { newUser, signedIn } from '../support/people.js';
import { TestService } from '../support/service.js';

const TIMEOUT_MS = 60_000;
/** The clock of the API process, which the test advances. */
let elapsedMs = 0;
const clock = { now: () => Date.now() + elapsedMs };

let service: TestService;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' }, clock });
});
afterAll(() => service?.stop());

/** Starts to send a file, once its session has been checked. */
async function upload({ cookies }: Browser): Promise<ClientRequest> {
  const { hostname, port } = new URL(service.address);
  const headers = {
    'content-type': 'text/csv',
    'x-requested-with': 'mailbeacon',
    expect: '100-continue',
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  };
  const path = '/api/suppressions/import';
  const sending = httpRequest({ hostname, port, path, method: 'POST', headers, agent: false });
  sending.on('error', () => undefined).flushHeaders();
  await once(sending, 'continue');
  sending.write('address\n');
  return sending;
}

it('an upload goes on for its organization while its user chooses another one', async () => {
  const [first, second] = [await service.organization(), await service.organization()];
  const user = await newUser(service, first.organizationId, 'owner');
  await service.database.query("insert into memberships (user_id, organization_id, role) values ($1, $2, 'viewer')", [
    user.id,
    second.organizationId,
  ]);
  const [browser, ending] = [
    await signedIn(service, user),
    await signedIn(service, await newUser(service, second.organizationId, 'owner')),
  ];
  const lasting = await upload(browser);
  const ended = await upload(ending);
  const choice = { organizationId: second.organizationId };
  expect((await browser.request('PATCH', '/api/session', choice)).status).toBe(200);
  expect((await ending.request('DELETE', '/api/sessions')).status).toBe(204);
  elapsedMs += 4_900;
  // Checked after the other one.
  await eventually(() => {
    if (!ended.destroyed) ended.write('a@example.com\n');
    return ended.destroyed;
  }, TIMEOUT_MS);
  expect(lasting.destroyed).toBe(false);
  const responding = once(lasting, 'response') as Promise<[IncomingMessage]>;
  lasting.end('ada@example.com\n');
  const [response] = await responding;
  expect(response.resume().statusCode).toBe(200);
  expect((await first.get('/api/suppressions/ada@example.com')).status).toBe(200);
});

it('a user stays in the organization that they have chosen when another one removes them', async () => {
  const [left, first, chosen] = [
    await service.organization('pro', 'Left'),
    await service.organization('pro', 'First'),
    await service.organization('pro', 'Chosen'),
  ];
  const user = await newUser(service, left.organizationId, 'member');
  for (const [at, { organizationId }] of [first, chosen].entries())
    await service.database.query("insert into memberships values ($1, $2, 'viewer', now() + $3 * interval '1 hour')", [
      ...[user.id, organizationId, at + 1],
    ]);
  const browser = await signedIn(service, user);
  const choice = { organizationId: chosen.organizationId };
  expect((await browser.request('PATCH', '/api/session', choice)).status).toBe(200);
  const owner = await signedIn(service, await newUser(service, left.organizationId, 'owner'));
  expect((await owner.request('DELETE', `/api/users/${user.id}`)).status).toBe(204);
  elapsedMs += 4_900;
  expect((await browser.get<SessionView>('/api/session')).body.organization.name).toBe('Chosen');
});
