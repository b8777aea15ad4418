import type { Browser } from '../support/browser.js';
import { runCommand } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { newUser, signedIn, type TestUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let organization: TestClient;
let owners: readonly TestUser[];

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
beforeEach(async () => {
  organization = await service.organization();
  owners = [
    await newUser(service, organization.organizationId, 'owner'),
    await newUser(service, organization.organizationId, 'owner'),
  ];
});
afterAll(() => service?.stop());

/** A session of a user who has opened the organization. */
async function opened(user: TestUser): Promise<Browser> {
  const browser = await signedIn(service, user);
  await browser.get('/api/session');
  await eventually(async () => {
    const joined = await service.database.query(
      'select from memberships where user_id = $1 and joined_at is not null',
      [user.id],
    );
    return joined.length === 1;
  });
  return browser;
}

it('the last owner can neither leave nor become less, not even two at once', async () => {
  const browsers = await Promise.all(owners.map(opened));
  const responses = await Promise.all(
    browsers.map((one, index) => one.request('DELETE', `/api/users/${owners[index]!.id}`)),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([204, 409]);
  const [left] = await service.database.query<{ userId: string }>(
    'select user_id as "userId" from memberships where organization_id = $1',
    [organization.organizationId],
  );
  const last = browsers[owners.findIndex(({ id }) => id === left!.userId)]!;
  expect((await last.request('PATCH', `/api/users/${left!.userId}`, { role: 'viewer' })).status).toBe(409);
});

it('an owner who is only invited does not count: nobody could change keys or people', async () => {
  const [owner, invited] = owners as [TestUser, TestUser];
  const browser = await opened(owner);
  const path = `/api/users/${owner.id}`;
  expect((await browser.request('PATCH', path, { role: 'viewer' })).status).toBe(409);
  expect((await browser.request('DELETE', path)).status).toBe(409);
  await opened(invited);
  expect((await browser.request('DELETE', path)).status).toBe(204);
});

it('an operator can remove the last owner, to give the organization a new one', async () => {
  const { organizationId } = organization;
  const environment = { DATABASE_URL: service.settings.DATABASE_URL };
  for (const { email } of owners)
    expect(await runCommand(environment, 'user', 'remove', '--org', organizationId, '--email', email)).toMatchObject({
      code: 0,
    });
  const left = await service.database.query('select from memberships where organization_id = $1', [organizationId]);
  expect(left).toEqual([]);
});

it('the only owner who has opened the organization can remove one who is only invited', async () => {
  const [owner, invited] = owners as [TestUser, TestUser];
  const browser = await signedIn(service, owner);
  expect((await browser.request('PATCH', `/api/users/${invited.id}`, { role: 'member' })).status).toBe(200);
  expect((await browser.request('DELETE', `/api/users/${invited.id}`)).status).toBe(204);
});
