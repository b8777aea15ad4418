import { hashOfToken } from '../../src/users/secret-token.js';
import { Browser } from '../support/browser.js';
import { CapturedLog } from '../support/captured-log.js';
import { findInTables, hasOne } from '../support/find-everywhere.js';
import { newUser, PASSWORD, signedIn, type TestUser } from '../support/people.js';
import { sessionRoutes } from '../support/routes.js';
import { TestService, type TestClient } from '../support/service.js';

/** Time of the API process, which the tests advance. */
let elapsedMs = 0;
const clock = { now: () => Date.now() + elapsedMs };

const log = new CapturedLog('trace', ['api']);
let service: TestService;
let organization: TestClient;
let owner: TestUser;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' }, clock, logger: log.logger });
  organization = await service.organization('pro', 'Acme');
  owner = await newUser(service, organization.organizationId, 'owner');
});
afterAll(async () => service?.stop());

describe('session fixation', () => {
  it('a sign-in creates a new cookie and ends the previous session of the browser', async () => {
    const attacker = await signedIn(service, await newUser(service, organization.organizationId, 'viewer'));
    const planted = attacker.cookies.get('mailbeacon')!;
    const victim = new Browser(service);
    victim.cookies.set('mailbeacon', planted);
    await victim.post('/api/session', { email: owner.email, password: PASSWORD });
    expect(victim.cookies.get('mailbeacon')).not.toBe(planted);
    elapsedMs += 4_900;
    expect((await attacker.get('/api/session')).status).toBe(401);
  });

  it('a cookie that an attacker chose is not a session, before and after the victim signs in', async () => {
    const chosen = 'A'.repeat(43);
    const victim = new Browser(service);
    victim.cookies.set('mailbeacon', chosen);
    await victim.post('/api/session', { email: owner.email, password: PASSWORD });
    const attacker = new Browser(service);
    attacker.cookies.set('mailbeacon', chosen);
    expect((await attacker.get('/api/session')).status).toBe(401);
  });

  it('two cookies of that name, which a neighboring host can set, count as none', async () => {
    const browser = await signedIn(service, owner);
    const own = browser.cookies.get('mailbeacon')!;
    const cookie = `mailbeacon=${'A'.repeat(43)}; mailbeacon=${own}`;
    expect((await browser.get('/api/session', { cookie })).status).toBe(401);
  });
});

describe('throttled sign-in', () => {
  const guess = (email: string, from = new Browser(service)) =>
    from.post('/api/session', { email, password: 'not the password' });

  it('limits guesses per account, and locks out neither the owner nor others', async () => {
    const user = await newUser(service, organization.organizationId, 'owner');
    const known = await signedIn(service, user);
    let refused = 0;
    for (let count = 0; count < 12; count++) {
      if ((await guess(user.email)).status === 401) refused++;
    }
    expect(refused).toBe(10);
    expect((await guess(user.email)).headers.get('retry-after')).toMatch(/^\d+$/);
    // The right password does not help an unknown browser now, but the browser of the user is known.
    expect((await guess(user.email)).status).toBe(429);
    known.cookies.delete('mailbeacon');
    expect((await known.post('/api/session', { email: user.email, password: PASSWORD })).status).toBe(201);
    expect((await known.get('/api/session')).status).toBe(200);
    await signedIn(service, owner);
  });

  it('a known browser of one user is unknown to all others', async () => {
    const [mine, theirs] = [
      await newUser(service, organization.organizationId, 'viewer'),
      await newUser(service, organization.organizationId, 'viewer'),
    ];
    const browser = await signedIn(service, mine);
    for (let count = 0; count < 10; count++) await guess(theirs.email, browser);
    expect((await guess(theirs.email)).status).toBe(429);
  });
});

describe('CSRF', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await signedIn(service, owner);
  });

  it.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'name=x'],
    ['text/plain', { 'content-type': 'text/plain' }, '{"name":"x"}'],
    ['JSON', {}, '{"name":"x"}'],
  ])('%s of another website is refused on its headers', async (_name, type, body) => {
    const foreign = { 'x-requested-with': '', origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await browser.post('/api/campaigns', body, { ...foreign, ...type })).status).toBe(403);
  });

  it.each([
    ['without the header', { 'x-requested-with': '' }],
    ['of a subdomain', { 'sec-fetch-site': 'same-site' }],
    ['of another origin', { origin: 'https://evil.example', 'sec-fetch-site': '' }],
    ['of a sandboxed frame', { origin: 'null', 'sec-fetch-site': '' }],
    ['of another port of this host', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': '' }],
  ])('a changing request %s is refused, signing in as well', async (_name, headers: Record<string, string>) => {
    expect((await browser.post('/api/campaigns', { name: 'x' }, headers)).status).toBe(403);
    expect((await browser.request('DELETE', '/api/session', undefined, headers)).status).toBe(403);
    const signIn = { email: owner.email, password: PASSWORD };
    expect((await new Browser(service).post('/api/session', signIn, headers)).status).toBe(403);
    expect((await browser.get('/api/session', headers)).status).toBe(200);
  });

  it('no website may read a response or send a preflight request', async () => {
    const { headers } = await browser.get('/api/session', { origin: 'https://evil.example' });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    const preflight = { origin: 'https://evil.example', 'access-control-request-headers': 'x-requested-with' };
    const response = await browser.request('OPTIONS', '/api/session', undefined, preflight);
    expect(response.status).toBe(404);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('a request with a key needs no such header, even together with a cookie', async () => {
    const plain = { 'x-api-key': organization.apiKey, 'x-requested-with': '', 'sec-fetch-site': '', origin: '' };
    expect((await browser.post('/api/campaigns', { name: 'By key' }, plain)).status).toBe(201);
    expect((await browser.get('/api/campaigns', { 'x-api-key': 'mb_wrong' })).status).toBe(401);
  });
});

describe('other organizations', () => {
  it('a cookie opens no other organization, regardless of the header or ID in the request', async () => {
    const otherClient = await service.organization();
    const browser = await signedIn(service, owner);
    const header = { 'x-organization': otherClient.organizationId };
    expect((await browser.get('/api/campaigns', header)).status).toBe(403);
    for (const named of ['nonsense', '', `${otherClient.organizationId}'`])
      expect((await browser.get('/api/campaigns', { 'x-organization': `${named} ` })).status).not.toBe(500);
    const choice = { organizationId: otherClient.organizationId };
    expect((await browser.request('PATCH', '/api/session', choice)).status).toBe(403);
    const { id } = await newUser(service, otherClient.organizationId, 'viewer');
    for (const method of ['PATCH', 'DELETE'])
      expect((await browser.request(method, `/api/users/${id}`, { role: 'owner' })).status).toBe(404);
  });
});

describe('role escalation', () => {
  it.each(['member', 'viewer'] as const)('a %s can neither invite, promote nor remove people', async (role) => {
    const user = await newUser(service, organization.organizationId, role);
    const browser = await signedIn(service, user);
    const responses = [
      await browser.post('/api/users', { email: 'friend@evil.example', role: 'owner' }),
      await browser.request('PATCH', `/api/users/${user.id}`, { role: 'owner' }),
      await browser.request('DELETE', `/api/users/${owner.id}`),
      await browser.post('/api/keys', {}),
    ];
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect((await browser.get('/api/users')).status).toBe(200);
  });

  it('a key, even with all scopes, uses no route of people', async () => {
    for (const { method, path } of sessionRoutes()) {
      const response = await organization.request<object>(path.replace(/:\w+/g, owner.id), { method });
      expect([method, path, response.status]).toEqual([method, path, 403]);
    }
  });
});

it('no secret or password is in logs, nor in the database', async () => {
  const browser = await signedIn(service, owner);
  await browser.post('/api/session', { email: owner.email, password: 'a password that is wrong' });
  const token = browser.cookies.get('mailbeacon')!;
  const device = browser.cookies.get('mailbeacon_device')!;
  expect(log.text).toContain('/api/session');
  expect(await findInTables(service.database, [hashOfToken(token)!.toString('hex')])).toEqual(['sessions.token_hash']);
  const secrets = [PASSWORD, 'a password that is wrong', token, device];
  expect(await findInTables(service.database, secrets)).toEqual([]);
  expect(hasOne(log.text, secrets)).toBe(false);
  expect(log.text).not.toContain(owner.email);
});
