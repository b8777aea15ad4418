import type { SessionView } from '../../src/users/sessions/session-view.js';
import { Browser } from '../support/browser.js';
import { newUser, PASSWORD, signedIn, type TestUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';

/** Time of the API processes, which the tests move on. */
let elapsedMs = 0;
const clock = { now: () => Date.now() + elapsedMs };
const DAY_MS = 86_400_000;

let service: TestService;
let secondProcess: TestService;
let organization: TestClient;
let owner: TestUser;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' }, clock });
  secondProcess = await TestService.start({ beside: service, environment: { ROLES: 'api' }, clock });
  organization = await service.organization('pro', 'Acme');
  owner = await newUser(service, organization.organizationId, 'owner');
});
afterAll(async () => {
  await secondProcess?.stop();
  await service?.stop();
});

/** The same browser at another process. */
function elsewhere(browser: Browser, at = secondProcess): Browser {
  const other = new Browser(at);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  return other;
}

describe('People sign in to the dashboard as users', () => {
  it('who am I: the user, the organization, what the user may do there', async () => {
    const browser = await signedIn(service, owner);
    const { status, body } = await browser.get<SessionView>('/api/session');
    const acme = { id: organization.organizationId, name: 'Acme', role: 'owner' };
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        user: { id: owner.id, email: owner.email, hasPassword: true, secondFactor: false },
        organization: acme,
        organizations: [acme],
        scopes: ['send', 'read', 'manage'],
        suspended: null,
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    });
  });

  it('the API accepts the session cookie as it accepts keys', async () => {
    const browser = await signedIn(service, owner);
    expect((await browser.post('/api/campaigns', { name: 'By hand' })).status).toBe(201);
    const { body } = await organization.get<{ campaigns: { name: string }[] }>('/api/campaigns');
    expect(body.campaigns).toContainEqual(expect.objectContaining({ name: 'By hand' }));
    const { headers } = await browser.get('/api/campaigns');
    expect(headers.get('ratelimit-limit')).toBe('60000');
  });

  it('case of the address does not matter', async () => {
    const credentials = { email: owner.email.toUpperCase(), password: PASSWORD };
    expect((await new Browser(service).post('/api/session', credentials)).status).toBe(201);
  });

  it('signing out ends the session, and a copy of its cookie is refused everywhere within 5 seconds', async () => {
    const browser = await signedIn(service, owner);
    const copy = elsewhere(browser);
    expect((await copy.get('/api/session')).status).toBe(200);
    expect((await browser.request('DELETE', '/api/session')).status).toBe(204);
    expect([...browser.cookies.keys()]).toEqual(['mailbeacon_device']);
    expect((await copy.get('/api/session')).status).toBe(401);
    elapsedMs += 4_900;
    expect((await copy.get('/api/session')).status).toBe(401);
  });

  it('a password change ends all other sessions everywhere within 5 seconds', async () => {
    const user = await newUser(service, organization.organizationId, 'viewer');
    const [here, stolen] = [await signedIn(service, user), await signedIn(service, user)];
    expect((await elsewhere(stolen).get('/api/session')).status).toBe(200);
    const change = { currentPassword: PASSWORD, newPassword: 'another horse battery staple' };
    expect((await here.request('PUT', '/api/session/password', change)).status).toBeLessThan(300);
    elapsedMs += 4_900;
    for (const at of [service, secondProcess]) {
      expect((await elsewhere(stolen, at).get('/api/session')).status).toBe(401);
      expect((await elsewhere(here, at).get('/api/session')).status).toBe(200);
    }
  });

  it('signing out everywhere ends all sessions of the user and no other', async () => {
    const [one, two] = [await signedIn(service, owner), await signedIn(service, owner)];
    const other = await signedIn(service, await newUser(service, organization.organizationId, 'viewer'));
    expect((await one.request('DELETE', '/api/sessions')).status).toBe(204);
    elapsedMs += 4_900;
    expect((await two.get('/api/session')).status).toBe(401);
    expect((await other.get('/api/session')).status).toBe(200);
  });

  it('a session ends after 30 days, and after a week without a request', async () => {
    const idle = await signedIn(service, owner);
    const busy = await signedIn(service, owner);
    for (let day = 0; day < 30; day++) {
      expect([day, (await busy.get('/api/session')).status]).toEqual([day, 200]);
      if (day === 6) expect((await idle.get('/api/session')).status).toBe(200);
      if (day === 14) expect((await idle.get('/api/session')).status).toBe(401);
      elapsedMs += DAY_MS;
    }
    expect((await busy.get('/api/session')).status).toBe(401);
  });

  it('the cookie is HttpOnly and SameSite=Strict, and holds nothing that is stored', async () => {
    const browser = await signedIn(service, owner);
    expect(browser.attributes.get('mailbeacon')).toBe('; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict');
    const [row] = await service.database.query<{ text: string }>(
      "select string_agg(s::text, ' ') as text from (select * from sessions) s",
    );
    expect(row!.text).not.toContain(browser.cookies.get('mailbeacon'));
  });

  it('where the dashboard has TLS, the cookie is Secure and named __Host-', async () => {
    const secure = await TestService.start({
      beside: service,
      environment: { ROLES: 'api', DASHBOARD_URL: 'https://dash.acme.example' },
    });
    try {
      const browser = await signedIn(secure, owner);
      expect(browser.attributes.get('__Host-mailbeacon')).toMatch(/^; Path=\/; .*; SameSite=Strict; Secure$/);
      const plain = new Browser(secure);
      plain.cookies.set('mailbeacon', browser.cookies.get('__Host-mailbeacon')!);
      expect((await plain.get('/api/session')).status).toBe(401);
      expect((await browser.get('/api/session')).status).toBe(200);
    } finally {
      await secure.stop();
    }
  });

  it('works for reading without Redis', async () => {
    const alone = await TestService.start({
      // Nothing listens there.
      environment: { ROLES: 'api', DATABASE_URL: service.settings.DATABASE_URL, REDIS_URL: 'redis://127.0.0.1:9' },
      clock,
    });
    try {
      const browser = await signedIn(service, owner);
      const there = elsewhere(browser, alone);
      expect((await there.get('/api/session')).status).toBe(200);
      expect((await there.get('/api/campaigns')).status).toBe(200);
      await signedIn(alone, owner);
    } finally {
      await alone.stop();
    }
  });
});

describe('roles', () => {
  async function as(role: 'owner' | 'member' | 'viewer'): Promise<Browser> {
    return signedIn(service, await newUser(service, organization.organizationId, role));
  }

  it('an owner may do everything', async () => {
    const browser = await as('owner');
    const { status, body } = await browser.post('/api/keys', { name: 'Made by hand' });
    expect(status).toBe(201);
    expect(body.createdBy).toMatch(/^user:[0-9a-f-]{36}$/);
    expect((await browser.request('DELETE', `/api/keys/${String(body.id)}`)).status).toBe(204);
  });

  it('a member sends and manages, but changes neither keys nor people', async () => {
    const browser = await as('member');
    const mail = { from: 'a@acme.example', to: 'x@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    expect((await browser.post('/api/send', mail, { prefer: 'respond-async' })).status).toBe(202);
    expect((await browser.post('/api/templates', { name: 'T', subject: 'S', htmlContent: 'x' })).status).toBe(201);
    expect((await browser.get('/api/keys')).status).toBe(200);
    const error = 'Only owners of the organization can do this';
    expect(await browser.post('/api/keys', {})).toMatchObject({ status: 403, body: { error } });
    const id = organization.apiKey.split('_')[1]!;
    expect(await browser.request('DELETE', `/api/keys/${id}`)).toMatchObject({ status: 403, body: { error } });
  });

  it('a viewer reads, and that is all', async () => {
    const browser = await as('viewer');
    expect((await browser.get('/api/campaigns')).status).toBe(200);
    expect(await browser.post('/api/campaigns', { name: 'X' })).toMatchObject({
      status: 403,
      body: { error: 'Your role in this organization lacks the scope manage, which this request needs' },
    });
    expect((await browser.post('/api/send', {})).status).toBe(403);
  });

  it('a user of several organizations picks one by header or for the session', async () => {
    const second = await service.organization('pro', 'Second');
    const user = await newUser(service, organization.organizationId, 'owner');
    const ids = [user.id, second.organizationId];
    await service.database.query("insert into memberships values ($1, $2, 'viewer', now() + interval '1 second')", ids);
    const browser = await signedIn(service, user);
    const nameOf = async (headers = {}, query = '') =>
      (await browser.get<SessionView>(`/api/session${query}`, headers)).body.organization;
    expect(await nameOf()).toMatchObject({ name: 'Acme', role: 'owner' });
    const header = { 'x-organization': second.organizationId };
    expect(await nameOf(header)).toMatchObject({ name: 'Second', role: 'viewer' });
    expect(await nameOf({}, `?organization=${second.organizationId}`)).toMatchObject({ name: 'Second' });
    expect((await browser.get('/api/session?organization=a&organization=b')).status).toBe(403);
    expect((await browser.post('/api/campaigns', { name: 'X' }, header)).status).toBe(403);
    const choice = await browser.request('PATCH', '/api/session', { organizationId: second.organizationId });
    expect(choice).toMatchObject({ status: 200, body: { organization: { name: 'Second' }, scopes: ['read'] } });
    expect(await nameOf()).toMatchObject({ name: 'Second' });
    // Otherwise it would be made in the organization before.
    expect((await browser.post('/api/campaigns', { name: 'Of the second' })).status).toBe(403);
  });
});
