import type { InvitedUser, UserView } from '../../src/users/user-view.js';
import type { SessionView } from '../../src/users/sessions/session-view.js';
import { Browser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { newUser, PASSWORD, signedIn, type TestUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';

const POSTMASTER = '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77';

/** Time of the API process, which the tests move on. */
let elapsedMs = 0;
const clock = { now: () => Date.now() + elapsedMs };

let service: TestService;
let organization: TestClient;
let owner: TestUser;
let browser: Browser;

beforeAll(async () => {
  service = await TestService.start({ environment: { USER_MAIL_ORGANIZATION: POSTMASTER }, clock });
  await service.database.query("insert into organizations (id, name, plan) values ($1, 'Operator', 'pro')", [
    POSTMASTER,
  ]);
  organization = await service.organization('pro', 'Acme');
  owner = await newUser(service, organization.organizationId, 'owner');
  browser = await signedIn(service, owner);
});
afterAll(async () => service?.stop());

/** The link in the newest mail to the address. */
async function linkTo(address: string): Promise<{ path: string; token: string; text: string }> {
  const find = () => service.mailServer.messages.filter(({ recipients }) => recipients.includes(address)).at(-1);
  await eventually(() => find() !== undefined);
  const text = find()!.content.toString();
  const [, path = '', token = ''] =
    /http:\/\/track\.test(\/[a-z-]+)#token=3?D?([\w-]+)/.exec(text.replaceAll(/=\r?\n/g, '')) ?? [];
  return { path, token, text };
}

describe('invitations by owners, by link, sent by our own pipeline', () => {
  it('an invited user sets a password by the link and signs in with the role', async () => {
    const email = 'grace@acme.example';
    const { status, body } = await browser.post<InvitedUser>('/api/users', {
      email: 'Grace@Acme.example',
      role: 'member',
    });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { email, role: 'member', isActive: false, mailed: true, secondFactor: false, lastSeenAt: null },
    });
    expect(JSON.stringify(body)).not.toContain('token');
    const { path, token } = await linkTo(email);
    expect(path).toBe('/set-password');
    const hers = new Browser(service);
    expect((await hers.post('/api/session', { email, password: PASSWORD })).status).toBe(401);
    expect((await hers.post('/api/session/password', { token, password: PASSWORD })).status).toBe(204);
    expect((await hers.post<SessionView>('/api/session', { email, password: PASSWORD })).body).toMatchObject({
      user: { email },
      organization: { name: 'Acme', role: 'member' },
    });
    const { body: list } = await browser.get<{ users: UserView[] }>('/api/users');
    expect(list.users.map(({ email: one, isActive }) => [one, isActive])).toEqual([
      [email, true],
      [owner.email, true],
    ]);
  });

  it('the link works once, and not after 7 days', async () => {
    await browser.post('/api/users', { email: 'once@acme.example', role: 'viewer' });
    const { token } = await linkTo('once@acme.example');
    const set = (text: string) =>
      new Browser(service).post('/api/session/password', { token: text, password: PASSWORD });
    const both = await Promise.all([set(token), set(token)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 401]);
    expect((await set(token)).status).toBe(401);
    await browser.post('/api/users', { email: 'late@acme.example', role: 'viewer' });
    const late = await linkTo('late@acme.example');
    elapsedMs += 7 * 86_400_000 + 1;
    browser = await signedIn(service, owner);
    expect((await set(late.token)).status).toBe(401);
  });

  it('a user of another organization is added without a link that would give access to the account', async () => {
    const other = await service.organization();
    const { email } = await newUser(service, other.organizationId, 'owner');
    expect((await browser.post('/api/users', { email, role: 'viewer' })).status).toBe(201);
    const { path, token } = await linkTo(email);
    expect([path, token]).toEqual(['', '']);
  });

  it('adds a person whose invitation cannot be sent, and reports that', async () => {
    const email = 'complained@acme.example';
    await service.database.query(
      `insert into suppressions (organization_id, address_key, address, reason) values ($1, $2, $2, 'complaint')`,
      [POSTMASTER, email],
    );
    expect(await browser.post('/api/users', { email, role: 'viewer' })).toMatchObject({
      status: 201,
      body: { email, mailed: false },
    });
    const { body } = await browser.get<{ users: UserView[] }>('/api/users');
    expect(body.users.map((user) => user.email)).toContain(email);
  });

  it('the same person twice is 409', async () => {
    expect((await browser.post('/api/users', { email: owner.email, role: 'viewer' })).status).toBe(409);
  });
});

describe('a forgotten password', () => {
  const forget = (email: string) => new Browser(service).post('/api/session/reset', { email });

  it('gets the same response whether or not the user exists', async () => {
    const { id, email } = await newUser(service, organization.organizationId, 'viewer');
    const [known, unknown] = [await forget(email), await forget('nobody@acme.example')];
    const seen = ({ status, body, headers }: typeof known) => ({ status, body, names: [...headers.keys()].sort() });
    expect(seen(known)).toEqual(seen(unknown));
    expect(known.status).toBe(202);
    const { token } = await linkTo(email);
    const session = await signedIn(service, { email });
    const password = 'a quite different long sentence';
    expect((await new Browser(service).post('/api/session/password', { token, password })).status).toBe(204);
    elapsedMs += 4_900;
    expect((await session.get('/api/session')).status).toBe(401);
    expect((await new Browser(service).post('/api/session', { email, password })).status).toBe(201);
    const [row] = await service.database.query('select count(*)::int as count from user_tokens where user_id = $1', [
      id,
    ]);
    expect(row).toEqual({ count: 0 });
  });

  it('sends at most three links an hour to one address, with the same response', async () => {
    const { email } = await newUser(service, organization.organizationId, 'viewer');
    const sent = () => service.mailServer.messages.filter(({ recipients }) => recipients.includes(email));
    for (let count = 0; count < 6; count++) expect((await forget(email)).status).toBe(202);
    await eventually(() => sent().length === 3);
    const after = await newUser(service, organization.organizationId, 'viewer');
    await forget(after.email);
    await linkTo(after.email);
    expect(sent()).toHaveLength(3);
  });
});

describe('roles and removal', () => {
  it('a changed role counts within 5 seconds', async () => {
    const user = await newUser(service, organization.organizationId, 'viewer');
    const theirs = await signedIn(service, user);
    expect((await theirs.post('/api/campaigns', { name: 'Roles' })).status).toBe(403);
    expect(await browser.request('PATCH', `/api/users/${user.id}`, { role: 'member' })).toMatchObject({
      status: 200,
      body: { role: 'member' },
    });
    elapsedMs += 4_900;
    expect((await theirs.post('/api/campaigns', { name: 'Roles' })).status).toBe(201);
  });

  it('a removed user is out within 5 seconds, and gone when in no other organization', async () => {
    const user = await newUser(service, organization.organizationId, 'member');
    const theirs = await signedIn(service, user);
    expect((await theirs.get('/api/session')).status).toBe(200);
    expect((await browser.request('DELETE', `/api/users/${user.id}`)).status).toBe(204);
    elapsedMs += 4_900;
    expect((await theirs.get('/api/session')).status).toBe(401);
    expect((await browser.request('DELETE', `/api/users/${user.id}`)).status).toBe(404);
    for (const table of ['users', 'sessions', 'memberships'])
      expect(await service.database.query(`select from ${table} t where t::text like $1`, [`%${user.id}%`])).toEqual(
        [],
      );
  });

  it('a role that stays the same is no change', async () => {
    const user = await newUser(service, organization.organizationId, 'viewer');
    const setRole = async (role: string) =>
      expect((await browser.request('PATCH', `/api/users/${user.id}`, { role })).status).toBe(200);
    for (const role of ['viewer', 'member', 'member']) await setRole(role);
    const changes = await service.database.query(
      `select details from audit_entries where action = 'user.role-changed' and target_id = $1`,
      [user.id],
    );
    expect(changes).toEqual([{ details: { from: 'viewer', to: 'member' } }]);
  });

  it('one who is in another organization keeps that one', async () => {
    const other = await service.organization('pro', 'Other');
    const user = await newUser(service, organization.organizationId, 'member');
    await service.database.query("insert into memberships values ($1, $2, 'viewer', now() + interval '1 hour')", [
      user.id,
      other.organizationId,
    ]);
    const theirs = await signedIn(service, user);
    await browser.request('DELETE', `/api/users/${user.id}`);
    elapsedMs += 4_900;
    expect((await theirs.get<SessionView>('/api/session')).body.organization).toMatchObject({ name: 'Other' });
  });

  it('each change is in the audit log without an address', async () => {
    const rows = await service.database.query<{ action: string; text: string }>(
      'select action, a::text as text from audit_entries a where organization_id = $1',
      [organization.organizationId],
    );
    const actions = new Set(rows.map(({ action }) => action));
    for (const action of [
      'user.created',
      'user.role-changed',
      'user.deleted',
      'session.created',
      'user.password-changed',
    ])
      expect(actions).toContain(action);
    expect(rows.filter(({ text }) => text.includes('@acme.example'))).toEqual([]);
  });
});
