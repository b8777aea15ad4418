import { People } from '../../src/users/people.js';
import { UserAccounts } from '../../src/users/user-accounts.js';
import { UserTokens } from '../../src/users/user-tokens.js';
import { Browser } from '../support/browser.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { newUser, PASSWORD, signedIn } from '../support/people.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

/** Time of the API process, which the tests move on. */
let elapsedMs = 0;
const clock = { now: () => Date.now() + elapsedMs };

let service: TestService;
let organization: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' }, clock });
  organization = await service.organization('pro', 'Acme');
});
afterAll(() => service?.stop());

it('a password change also ends a session that somebody opens with the old password meanwhile', async () => {
  const user = await newUser(service, organization.organizationId, 'viewer');
  const [here, thief] = [await signedIn(service, user), new Browser(service)];
  let pending: Promise<ApiResponse<unknown>>[] = [];
  // The change has ended all sessions, and waits before it ends the links.
  await whileLocked(
    service.database,
    (sql) => sql.query('lock table user_tokens in share mode'),
    async () => {
      const change = { currentPassword: PASSWORD, newPassword: 'another horse battery staple' };
      pending = [here.request('PUT', '/api/session/password', change)];
      await lockedOut(service.database, 1);
      const signingIn = thief.post('/api/session', { email: user.email, password: PASSWORD });
      pending.push(signingIn);
      await Promise.race([signingIn, lockedOut(service.database, 2)]);
    },
  );
  const [changed] = await Promise.all(pending);
  expect(changed!.status).toBe(200);
  elapsedMs += 4_900;
  expect((await thief.get('/api/session')).status).toBe(401);
  expect((await here.get('/api/session')).status).toBe(200);
});

it('a removed user stays if another organization invites them meanwhile', async () => {
  const user = await newUser(service, organization.organizationId, 'viewer');
  const browser = await signedIn(service, await newUser(service, organization.organizationId, 'owner'));
  const other = await service.organization('pro', 'Other');
  let removed: Promise<ApiResponse<unknown>> | undefined;
  await whileLocked(
    service.database,
    (sql) =>
      sql.query(`insert into memberships (user_id, organization_id, role) values ($1, $2, 'viewer')`, [
        ...[user.id, other.organizationId],
      ]),
    async () => {
      removed = browser.request('DELETE', `/api/users/${user.id}`);
      await lockedOut(service.database, 1);
    },
  );
  expect((await removed)!.status).toBe(204);
  expect((await signedIn(service, user)).cookies.size).toBeGreaterThan(0);
});

it('organizations can invite the same new person at the same time', async () => {
  const people = new People(service.database, new UserAccounts(service.database));
  const organizations = [organization, await service.organization('pro', 'Other')];
  for (let round = 0; round < 100; round++) {
    const ids = organizations.map(async ({ organizationId }) => {
      const author = { organizationId, actor: { kind: 'operator', id: 'test' }, requestId: null } as const;
      return (await people.add(author, `new${round}@acme.example`, 'viewer')).id;
    });
    expect(new Set(await Promise.all(ids)).size).toBe(1);
  }
});

it('a sign-in and a new link wait for no transaction that ends sessions and links of other users', async () => {
  const [user, other] = [
    await newUser(service, organization.organizationId, 'viewer'),
    await newUser(service, organization.organizationId, 'viewer'),
  ];
  const tokens = new UserTokens(service.database, clock);
  await signedIn(service, other);
  await tokens.create(other.id, 'password', 1_000);
  // Ended long ago, so the next ones delete them.
  for (const table of ['sessions', 'user_tokens'])
    await service.database.query(`update ${table} set expires_at = now() - interval '2 days' where user_id = $1`, [
      other.id,
    ]);
  await whileLocked(
    service.database,
    async (sql) => {
      for (const table of ['sessions', 'user_tokens'])
        await sql.query(`select from ${table} where user_id = $1 for update`, [other.id]);
    },
    async () => {
      await signedIn(service, user);
      await tokens.create(user.id, 'password', 1_000);
    },
  );
  await signedIn(service, user);
  await tokens.create(user.id, 'password', 1_000);
  for (const table of ['sessions', 'user_tokens'])
    expect(await service.database.query(`select from ${table} where user_id = $1`, [other.id])).toEqual([]);
});
