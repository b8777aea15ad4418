import { Browser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { newUser, PASSWORD, signedIn, type TestUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';

/** Simultaneous sign-ins: more than may wait for a hash. */
const SIGN_INS = 40;

let elapsedMs = 0;
const clock = { now: () => Date.now() + elapsedMs };
let service: TestService;
let organization: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' }, clock, passwordLogN: 15 });
  organization = await service.organization();
});
afterAll(() => service?.stop());

it('a password change with the right password ends all other sessions of the user, and continues in a new one', async () => {
  const user = await newUser(service, organization.organizationId, 'owner');
  const other = await signedIn(service, await newUser(service, organization.organizationId, 'viewer'));
  const [here, elsewhere] = [await signedIn(service, user), await signedIn(service, user)];
  const next = 'another horse battery staple';
  const change = (current: string) =>
    here.request('PUT', '/api/session/password', { currentPassword: current, newPassword: next });
  expect((await change('not the password')).status).toBe(403);
  expect((await elsewhere.get('/api/session')).status).toBe(200);
  expect((await change(PASSWORD)).status).toBeLessThan(300);
  elapsedMs += 4_900;
  expect((await elsewhere.get('/api/session')).status).toBe(401);
  expect((await here.get('/api/session')).status).toBe(200);
  expect((await other.get('/api/session')).status).toBe(200);
  const again = (password: string) => new Browser(service).post('/api/session', { email: user.email, password });
  expect((await again(PASSWORD)).status).toBe(401);
  expect((await again(next)).status).toBe(201);
});

it('a flood of sign-ins is throttled, while a user can sign in', async () => {
  const user = await newUser(service, organization.organizationId, 'owner');
  const known = await signedIn(service, user);
  known.cookies.delete('mailbeacon');
  const flood = Array.from({ length: SIGN_INS }, async (_, n) => {
    const email = n % 2 === 0 ? user.email : `stranger${n}@acme.example`;
    const { status } = await new Browser(service).post('/api/session', { email, password: 'not the password' });
    return status;
  });
  await Promise.any(flood.map(async (one) => expect(await one).toBe(503)));
  const { status } = await known.post('/api/session', { email: user.email, password: PASSWORD });
  expect(status).toBe(201);
  const statuses = await Promise.all(flood);
  expect(statuses.filter((one) => ![401, 429, 503].includes(one))).toEqual([]);
  expect(statuses.filter((one) => one === 401).length).toBeLessThanOrEqual(60);
  expect((await known.get('/api/session')).status).toBe(200);
});

it('one user who signs in many times at once keeps no other from signing in', async () => {
  const [busy, user] = [
    await newUser(service, organization.organizationId, 'viewer'),
    await newUser(service, organization.organizationId, 'owner'),
  ];
  const signIn = (browser: Browser, { email }: TestUser) => browser.post('/api/session', { email, password: PASSWORD });
  const known = await signedIn(service, user);
  const devices = [await signedIn(service, busy), await signedIn(service, busy), await signedIn(service, busy)];
  const flood = Array.from({ length: 30 }, async (_, n) => (await signIn(devices[n % devices.length]!, busy)).status);
  await Promise.any(flood.map(async (one) => expect(await one).toBe(503)));
  expect(await signIn(known, user)).toMatchObject({ status: 201 });
  const statuses = await Promise.all(flood);
  expect(statuses.filter((status) => ![201, 429, 503].includes(status))).toEqual([]);
  expect(statuses).toContain(201);
});

it('a flood of sign-ins takes one connection to Postgres, and leaves the others to all other requests', async () => {
  const session = await signedIn(service, await newUser(service, organization.organizationId, 'owner'));
  const locked = await service.database.pool.connect();
  try {
    await locked.query('begin; lock table users in access exclusive mode');
    const flood = Array.from({ length: 25 }, async (_, n) => {
      const stranger = { email: `nobody${n}@acme.example`, password: 'not the password' };
      return (await new Browser(service).post('/api/session', stranger)).status;
    });
    const waiting = async () => {
      const [row] = await service.database.query<{ count: number }>(
        `select count(*)::int from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%from users%'`,
      );
      return row!.count;
    };
    await eventually(async () => (await waiting()) > 0);
    // All the others have been refused, or wait behind it.
    await Promise.any(flood.map(async (one) => expect(await one).toBe(503)));
    expect(await waiting()).toBe(1);
    expect((await organization.get('/api/campaigns')).status).toBe(200);
    await locked.query('rollback');
    expect(new Set(await Promise.all(flood))).toEqual(new Set([401, 503]));
  } finally {
    await locked.query('rollback');
    locked.release();
  }
  expect((await session.get('/api/session')).status).toBe(200);
});
