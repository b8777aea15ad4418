import type { OrganizationProviderView } from '../../src/organizations/providers/provider-view.js';
import type { Sql } from '../../src/platform/database/database.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { nextPage } from '../support/next-page.js';
import {
  addProvider,
  createProvider,
  EXAMPLES,
  exampleOf,
  type OwnProviderResponse,
} from '../support/own-providers.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(() => service?.stop());

async function listed(path = '/api/providers', by = client): Promise<OrganizationProviderView[]> {
  const { status, body } = await by.get<{ providers: OrganizationProviderView[] }>(path);
  expect(status).toBe(200);
  return body.providers;
}

const change = (id: string, changes: unknown): Promise<OwnProviderResponse> =>
  client.patch(`/api/providers/${id}`, changes);

async function versionOf(id: string): Promise<number> {
  const [row] = await service.database.query<{ version: number }>(
    'select version from organization_providers where id = $1',
    [id],
  );
  return row!.version;
}

describe('POST /api/providers', () => {
  it.each(EXAMPLES.map((example) => [example.type, example] as const))(
    'adds a provider of the type %s',
    async (type, { account, ...example }) => {
      const created = await createProvider(client, { name: 'main', ...example, weight: 3, perSecond: 0.5 });
      const { id } = created.body;
      expect(created.status).toBe(201);
      expect(created.body).toEqual({
        ...{ id: expect.any(String), name: 'main', type, account, weight: 3, perSecond: 0.5 },
        eventsUrl: type === 'smtp' ? null : `http://track.test/api/providers/${id}/events`,
        ...{ state: 'available', pausedUntil: null },
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        changedAt: created.body.createdAt,
      });
      expect((await client.get(`/api/providers/${id}`)).body).toEqual(created.body);
    },
  );

  it.each(EXAMPLES.map(({ type }) => type))('needs only name, type and credentials: %s', async (type) => {
    const { credentials } = exampleOf(type);
    const { status, body } = await createProvider(client, { name: 'n'.repeat(100), type, credentials });
    expect(status).toBe(201);
    expect(body).toMatchObject({ weight: null, perSecond: null, eventsUrl: null });
  });

  it('takes null for what is not required', async () => {
    const { type, ...example } = exampleOf('ses');
    const credentials = { ...example.credentials, sessionToken: null, configurationSet: null };
    const nothing = { weight: null, perSecond: null, eventKey: null };
    const { status, body } = await createProvider(client, { name: 'main', type, credentials, ...nothing });
    expect([status, body.eventsUrl]).toEqual([201, null]);
  });

  it('refuses a name that the organization uses, which another one may use, too', async () => {
    await addProvider(client, 'resend', 'main');
    expect(await createProvider(client, { name: 'main', ...exampleOf('smtp') })).toMatchObject({
      status: 409,
      body: { error: 'The organization has a provider with this name already' },
    });
    await addProvider(client, 'smtp', 'Main');
    await addProvider(await service.organization(), 'resend', 'main');
  });

  it('refuses a name that another provider gets at the same time', async () => {
    const { id } = await addProvider(client, 'resend', 'old');
    let created!: Promise<OwnProviderResponse>;
    const take = (sql: Sql) => sql.query(`update organization_providers set name = 'main' where id = $1`, [id]);
    await whileLocked(service.database, take, async () => {
      created = createProvider(client, { name: 'main', ...exampleOf('resend') });
      await lockedOut(service.database, 1);
    });
    expect((await created).status).toBe(409);
  });

  it('allows 10 for each organization, also at once', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 13 }, async (_, n) => {
        return (await createProvider(client, { name: `p${n}`, ...exampleOf('resend') })).status;
      }),
    );
    expect(statuses.sort()).toEqual([...Array<number>(10).fill(201), ...Array<number>(3).fill(409)]);
    expect(await createProvider(client, { name: 'more', ...exampleOf('resend') })).toMatchObject({
      status: 409,
      body: { error: 'An organization can have 10 providers: delete one first' },
    });
    const [first] = await listed();
    await client.delete(`/api/providers/${first!.id}`);
    await addProvider(client, 'resend', 'more');
  });
});

describe('GET /api/providers', () => {
  it('lists the newest first, in pages', async () => {
    for (const name of ['one', 'two', 'three']) await addProvider(client, 'resend', name);
    expect((await listed()).map(({ name }) => name)).toEqual(['three', 'two', 'one']);
    const { headers } = await client.get('/api/providers?limit=2');
    expect((await listed(nextPage(headers))).map(({ name }) => name)).toEqual(['one']);
    expect(await listed('/api/providers', await service.organization())).toEqual([]);
  });

  it.each(['1', '%00', '00000000-0000-7000-8000-000000000000', 'sendgrid'])('has none with the ID %s', async (id) => {
    const missing = { status: 404, body: { error: 'Provider not found' } };
    expect(await client.get(`/api/providers/${id}`)).toMatchObject(missing);
    expect(await client.delete(`/api/providers/${id}`)).toMatchObject(missing);
    expect(await change(id, { name: 'a' })).toMatchObject(missing);
  });
});

describe('PATCH /api/providers/:id', () => {
  it('changes what is given, leaves the rest and raises the version', async () => {
    const { id, ...before } = await addProvider(client, 'mailgun');
    const { status, body } = await change(id, { name: 'other', weight: 0, perSecond: 100_000 });
    expect(status).toBe(200);
    const changed = { name: 'other', weight: 0, perSecond: 100_000, changedAt: body.changedAt };
    expect(body).toEqual({ id, ...before, ...changed });
    expect(Date.parse(body.changedAt)).toBeGreaterThanOrEqual(Date.parse(before.changedAt));
    expect(await versionOf(id)).toBe(2);
    await change(id.toUpperCase(), { weight: null });
    expect(await versionOf(id)).toBe(3);
    expect((await listed())[0]).toMatchObject({ name: 'other', weight: null, perSecond: 100_000 });
  });

  it('replaces the credentials as a whole, and keeps the type', async () => {
    const { id } = await addProvider(client, 'postmark');
    const { body } = await change(id, { credentials: { serverToken: 'other' }, type: 'resend' });
    expect(body).toMatchObject({ type: 'postmark', account: null });
    const refused = await change(id, { credentials: { apiKey: 're_1' } });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'credentials' }] } });
    expect(await versionOf(id)).toBe(2);
  });

  it('removes with null what is not required, and ignores null elsewhere', async () => {
    const { body } = await createProvider(client, { name: 'main', ...exampleOf('resend'), weight: 1, perSecond: 2 });
    const { id } = body;
    const nothing = { name: null, credentials: null, weight: null, perSecond: null, eventKey: null };
    const changed = await change(id, nothing);
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ name: 'main', weight: null, perSecond: null, eventsUrl: null });
    const again = await change(id, { eventKey: exampleOf('resend').eventKey });
    expect(again.body.eventsUrl).toBe(`http://track.test/api/providers/${id}/events`);
  });

  it.each([{}, { name: null }, { name: null, credentials: null }, { type: 'smtp' }, { unknown: 1 }])(
    'refuses %j, which changes nothing',
    async (changes) => {
      const { id } = await addProvider(client, 'resend');
      expect(await change(id, changes)).toMatchObject({
        status: 400,
        body: { error: 'Nothing to change: give name, credentials, weight, perSecond or eventKey' },
      });
      expect(await versionOf(id)).toBe(1);
    },
  );

  it('refuses the name of another provider', async () => {
    await addProvider(client, 'resend', 'main');
    const { id } = await addProvider(client, 'smtp', 'backup');
    expect((await change(id, { name: 'main' })).status).toBe(409);
    expect((await change(id, { name: 'backup' })).status).toBe(200);
  });
});

describe('DELETE /api/providers/:id', () => {
  it('deletes it once, with its secrets', async () => {
    const { id } = await addProvider(client, 'resend');
    expect((await client.delete(`/api/providers/${id}`)).status).toBe(204);
    expect((await client.delete(`/api/providers/${id}`)).status).toBe(404);
    expect(await service.database.query('select from organization_providers where id = $1', [id])).toEqual([]);
  });
});
