import { Sessions } from '../../src/users/sessions/sessions.js';
import { systemClock } from '../../src/platform/clock/clock.js';
import { eventually } from '../support/eventually.js';
import { newUser, signedIn } from '../support/people.js';
import { TestService } from '../support/service.js';

let service: TestService;
let organizationId: string;

beforeAll(async () => (service = await TestService.start({ environment: { ROLES: 'api' } })));
afterAll(async () => service?.stop());
beforeEach(async () => ({ organizationId } = await service.organization()));

it('a user has at most 50 sessions: the next one ends the oldest', async () => {
  const user = await newUser(service, organizationId, 'viewer');
  const [oldest, second] = [await signedIn(service, user), await signedIn(service, user)];
  const sessions = new Sessions(service.database, systemClock, service.settings);
  const open = (count: number) =>
    service.database.transaction(async (sql) => {
      for (let at = 0; at < count; at++) await sessions.create(sql, user.id, false);
    });
  await open(48);
  const [row] = await service.database.query<{ count: number }>(
    'select count(*)::int from sessions where user_id = $1',
    [user.id],
  );
  expect(row!.count).toBe(50);
  expect((await oldest.get('/api/session')).status).toBe(200);
  await open(1);
  await eventually(async () => (await oldest.get('/api/session')).status === 401);
  expect((await second.get('/api/session')).status).toBe(200);
});

it('sessions of other users end none of a user', async () => {
  const [user, other] = [
    await newUser(service, organizationId, 'viewer'),
    await newUser(service, organizationId, 'viewer'),
  ];
  const first = await signedIn(service, user);
  const sessions = new Sessions(service.database, systemClock, service.settings);
  await service.database.transaction(async (sql) => {
    for (let at = 0; at < 50; at++) await sessions.create(sql, other.id, false);
  });
  await signedIn(service, user);
  const open = await service.database.query('select from sessions where user_id = $1', [user.id]);
  expect(open).toHaveLength(2);
  expect((await first.get('/api/session')).status).toBe(200);
});

it('an organization has at most 200 users', async () => {
  const owner = await signedIn(service, await newUser(service, organizationId, 'owner'));
  await service.database.query(
    `with added as (
       insert into users (id, email) select gen_random_uuid(), 'many' || number || '@acme.example'
         from generate_series(1, 198) as number returning id)
     insert into memberships (user_id, organization_id, role) select id, $1, 'viewer' from added`,
    [organizationId],
  );
  const add = (email: string) => owner.post('/api/users', { email, role: 'viewer' });
  expect((await add('last@acme.example')).status).toBe(201);
  expect(await add('too-many@acme.example')).toMatchObject({
    status: 403,
    body: { error: 'An organization can have 200 users: remove one first' },
  });
});
