import { newUser, PASSWORD, signedIn } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let clients: readonly TestClient[];

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  clients = [await service.organization('pro', 'First'), await service.organization('pro', 'Second')];
});
afterAll(() => service?.stop());

it.each(['/api/session', '/api/sessions'])(
  'DELETE %s is in the log of each organization, as the sign-in',
  async (path) => {
    const [first, second] = clients;
    const user = await newUser(service, first!.organizationId, 'viewer');
    await service.database.query("insert into memberships (user_id, organization_id, role) values ($1, $2, 'viewer')", [
      user.id,
      second!.organizationId,
    ]);
    await service.database.query('update memberships set joined_at = now() where user_id = $1', [user.id]);
    const browser = await signedIn(service, user);
    const header = { 'x-organization': second!.organizationId };
    expect((await browser.request('DELETE', path, undefined, header)).status).toBe(204);
    for (const client of clients) {
      const { body } = await client.get<{ entries: { action: string }[] }>(`/api/audit?actor=user:${user.id}`);
      expect(body.entries.map(({ action }) => action)).toEqual(['session.ended', 'session.created']);
    }
  },
);

it('a sign-in in the same browser, which ends the session before, is in the log as the end of that one', async () => {
  const [first] = clients;
  const [user, next] = [
    await newUser(service, first!.organizationId, 'viewer'),
    await newUser(service, first!.organizationId, 'viewer'),
  ];
  const browser = await signedIn(service, user);
  for (const { email } of [user, next])
    expect((await browser.post('/api/session', { email, password: PASSWORD })).status).toBe(201);
  const actionsOf = async ({ id }: { id: string }) => {
    const { body } = await first!.get<{ entries: { action: string }[] }>(`/api/audit?actor=user:${id}`);
    return body.entries.map(({ action }) => action);
  };
  expect(await actionsOf(user)).toEqual(['session.ended', 'session.ended', 'session.created', 'session.created']);
  expect(await actionsOf(next)).toEqual(['session.created']);
});
