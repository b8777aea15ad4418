import { Browser } from '../support/browser.js';
import { newUser, signedIn, type TestUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let organization: TestClient;
let owner: Browser;
let other: TestUser;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
beforeEach(async () => {
  organization = await service.organization('pro', 'Acme');
  owner = await signedIn(service, await newUser(service, organization.organizationId, 'owner'));
  other = await newUser(service, organization.organizationId, 'owner');
});
afterAll(() => service?.stop());

/** The keys and owners of the organization. */
async function whoMayDoEverything(): Promise<string[]> {
  const keys = await service.database.query<{ id: string }>(
    'select id from api_keys where organization_id = $1 and revoked_at is null',
    [organization.organizationId],
  );
  const owners = await service.database.query<{ id: string }>(
    `select user_id as id from memberships where organization_id = $1 and role = 'owner'`,
    [organization.organizationId],
  );
  return [...keys, ...owners].map(({ id }) => id).sort();
}

/** Every request that gives somebody access or changes it. */
const givesAccess = (browser: Browser) =>
  Promise.all([
    browser.post('/api/keys', { name: 'Mine' }),
    browser.post('/api/users', { email: 'friend@acme.example', role: 'owner' }),
    browser.request('PATCH', `/api/users/${other.id}`, { role: 'owner' }),
  ]);

describe('in the seconds for which processes still know a session or a key, it gives nobody access that lasts', () => {
  it.each([
    ['was made a viewer', () => owner.request('PATCH', `/api/users/${other.id}`, { role: 'viewer' })],
    ['was removed', () => owner.request('DELETE', `/api/users/${other.id}`)],
  ])('an owner who %s', async (_, end) => {
    const theirs = await signedIn(service, other);
    expect((await theirs.get('/api/keys')).status).toBe(200);
    expect((await end()).status).toBeLessThan(300);
    const before = await whoMayDoEverything();
    for (const { status } of await givesAccess(theirs)) expect([401, 403]).toContain(status);
    expect(await whoMayDoEverything()).toEqual(before);
  });

  it('a session that its user has ended', async () => {
    const theirs = await signedIn(service, other);
    const thief = new Browser(service);
    for (const [name, value] of theirs.cookies) thief.cookies.set(name, value);
    expect((await thief.get('/api/keys')).status).toBe(200);
    expect((await theirs.request('DELETE', '/api/sessions')).status).toBe(204);
    const before = await whoMayDoEverything();
    for (const { status } of await givesAccess(thief)) expect(status).toBe(401);
    expect(await whoMayDoEverything()).toEqual(before);
  });

  it('a key that was revoked', async () => {
    const { body } = await organization.post<{ id: string; key: string }>('/api/keys', { name: 'Leaked' });
    const leaked = service.client(organization.organizationId, body.key);
    expect((await leaked.get('/api/keys')).status).toBe(200);
    expect((await organization.delete(`/api/keys/${body.id}`)).status).toBe(204);
    const before = await whoMayDoEverything();
    expect((await leaked.post('/api/keys', { name: 'Mine' })).status).toBe(401);
    expect(await whoMayDoEverything()).toEqual(before);
  });
});
