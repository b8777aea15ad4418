import type { SessionView } from '../../src/users/sessions/session-view.js';
import type { UserView } from '../../src/users/user-view.js';
import { eventually } from '../support/eventually.js';
import { newUser, signedIn } from '../support/people.js';
import { TestService } from '../support/service.js';

/** Time of the API process, which the test moves on. */
let elapsedMs = 0;
let service: TestService;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' }, clock: { now: () => Date.now() + elapsedMs } });
});
afterAll(() => service?.stop());

it('an organization learns nothing about the account of a user that it has invited, until the user opens it', async () => {
  const organization = await service.organization('pro', 'Acme');
  const browser = await signedIn(service, await newUser(service, organization.organizationId, 'owner'));
  const other = await service.organization('pro', 'Theirs');
  const user = await newUser(service, other.organizationId, 'owner');
  const theirs = await signedIn(service, user);
  await theirs.get('/api/session');
  const nothing = { isActive: false, secondFactor: false, lastSeenAt: null };
  const invitation = { email: user.email, role: 'viewer' };
  expect(await browser.post('/api/users', invitation)).toMatchObject({ status: 201, body: nothing });
  expect(user.id[14]).not.toBe('7'); // The version: it would show when the account was made.
  const shown = async () =>
    (await browser.get<{ users: UserView[] }>('/api/users')).body.users.find(({ id }) => id === user.id);
  elapsedMs += 4_900;
  expect((await theirs.get<SessionView>('/api/session')).body.organization.name).toBe('Theirs');
  expect(await shown()).toMatchObject(nothing);
  const recorded = async () => {
    const { body } = await browser.get<{ entries: { action: string }[] }>(`/api/audit?actor=user:${user.id}`);
    return body.entries.map(({ action }) => action);
  };
  await signedIn(service, user);
  expect(await recorded()).toEqual([]);
  await theirs.get('/api/session', { 'x-organization': organization.organizationId });
  const joined = await eventually(async () => {
    const one = await shown();
    return one?.isActive && one;
  });
  expect(joined.lastSeenAt).toEqual(expect.any(String));
  await signedIn(service, user);
  expect(await recorded()).toEqual(['session.created']);
});

it('a user stays in the organization that they have opened, although another one invited them before', async () => {
  const [first, opened] = [await service.organization('pro', 'First'), await service.organization('pro', 'Opened')];
  const user = await newUser(service, first.organizationId, 'viewer');
  const owner = await signedIn(service, await newUser(service, opened.organizationId, 'owner'));
  expect((await owner.post('/api/users', { email: user.email, role: 'viewer' })).status).toBe(201);
  const theirs = await signedIn(service, user);
  await theirs.get('/api/session', { 'x-organization': opened.organizationId });
  await eventually(async () => {
    const joined = await service.database.query(
      'select from memberships where user_id = $1 and joined_at is not null',
      [user.id],
    );
    return joined.length === 1;
  });
  const { organization, organizations } = (await theirs.get<SessionView>('/api/session')).body;
  expect([organization.name, ...organizations.map(({ name }) => name)]).toEqual(['Opened', 'Opened', 'First']);
});

it('an ID does not show whether a person who was invited, removed and invited again has an account elsewhere', async () => {
  const organization = await service.organization('pro', 'Acme');
  const browser = await signedIn(service, await newUser(service, organization.organizationId, 'owner'));
  const other = await service.organization('pro', 'Theirs');
  const { email: known } = await newUser(service, other.organizationId, 'viewer');
  const idOf = async (email: string) => {
    const { status, body } = await browser.post<UserView>('/api/users', { email, role: 'viewer' });
    expect(status).toBe(201);
    return body.id;
  };
  const isSameAgain = async (email: string) => {
    const first = await idOf(email);
    expect((await browser.request('DELETE', `/api/users/${first}`)).status).toBe(204);
    return (await idOf(email)) === first;
  };
  expect(await isSameAgain('nobody-elsewhere@acme.example')).toBe(await isSameAgain(known));
});

it('a user who was removed and is invited again stays in the other organization until they choose', async () => {
  const organization = await service.organization('pro', 'Acme');
  const browser = await signedIn(service, await newUser(service, organization.organizationId, 'owner'));
  const other = await service.organization('pro', 'Theirs');
  const user = await newUser(service, other.organizationId, 'owner');
  const theirs = await signedIn(service, user);
  const invitation = { email: user.email, role: 'viewer' };
  const invite = async () => expect((await browser.post('/api/users', invitation)).status).toBe(201);
  const current = async () => (await theirs.get<SessionView>('/api/session')).body.organization.name;
  await invite();
  const { organizationId } = organization;
  expect((await theirs.request('PATCH', '/api/session', { organizationId })).status).toBe(200);
  expect(await current()).toBe('Acme');
  expect((await browser.request('DELETE', `/api/users/${user.id}`)).status).toBe(204);
  expect(await eventually(async () => (await current()) === 'Theirs')).toBe(true);
  await invite();
  elapsedMs += 4_900;
  expect(await current()).toBe('Theirs');
});
