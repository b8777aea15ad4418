import { AuditLog, operatorOf } from '../../src/organizations/audit/record-audit.js';
import type { AuditEntryView } from '../../src/organizations/audit/audit-entries.js';
import { nextPage } from '../support/next-page.js';
import { newUser, signedIn } from '../support/people.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' } });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(() => service?.stop());

async function entries(query = ''): Promise<AuditEntryView[]> {
  const { status, body } = await client.get<{ entries: AuditEntryView[] }>(`/api/audit${query}`);
  expect([status, body]).toEqual([200, { entries: expect.any(Array) as unknown }]);
  return body.entries;
}

async function webhook(): Promise<string> {
  const { body } = await client.post<{ id: string }>('/api/webhooks', { url: 'http://127.0.0.1:9/' });
  return body.id;
}

describe('the list of the audit log', () => {
  it('is filtered by actor, action, target, since and until', async () => {
    const id = await webhook();
    await client.patch(`/api/webhooks/${id}`, { enabled: false });
    const key = client.apiKey.split('_')[1];
    const all = await entries();
    const changed = all.find(({ action }) => action === 'webhook.changed')!;
    const found = async (query: string): Promise<string[]> => (await entries(query)).map(({ action }) => action);
    expect(await found(`?target=webhook:${id}`)).toEqual(['webhook.changed', 'webhook.created']);
    expect(await found('?target=webhook&action=webhook.created')).toEqual(['webhook.created']);
    expect(await found(`?actor=key:${key}`)).toEqual(['webhook.changed', 'webhook.created']);
    expect((await found('?actor=operator')).sort()).toEqual(['key.created', 'organization.created']);
    expect(await found(`?since=${changed.at}&action=webhook.changed`)).toEqual(['webhook.changed']);
    expect(await found(`?until=${changed.at}`)).not.toContain('webhook.changed');
    const wrong = ['actor=robot', 'actor=', 'action=webhook', 'target=', 'target=webhok', 'since=yesterday', 'until=1'];
    for (const query of wrong) {
      expect([query, (await client.get(`/api/audit?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('contains the ID of a target as the service writes it, so that the filter finds a change by an ID in capitals', async () => {
    const id = await webhook();
    expect((await client.patch(`/api/webhooks/${id.toUpperCase()}`, { enabled: false })).status).toBe(200);
    for (const target of [id, id.toUpperCase()]) {
      const [changed] = await entries(`?target=webhook:${target}`);
      expect(changed).toMatchObject({ action: 'webhook.changed', target: { kind: 'webhook', id } });
    }
  });

  it('contains who (key, user, operator) did what to what, when, and in which request', async () => {
    const began = Date.now();
    const user = await newUser(service, client.organizationId, 'owner');
    const ofUser = await (await signedIn(service, user)).post<{ id: string }>('/api/campaigns', { name: 'By a user' });
    const requestId = 'request-of-a-key';
    const ofKey = await client.post<{ id: string }>(
      '/api/campaigns',
      { name: 'By a key' },
      { 'x-request-id': requestId },
    );
    const all = await entries();
    const about = (kind: string, id: string) => all.find(({ target }) => target.kind === kind && target.id === id);
    const byKey = about('campaign', ofKey.body.id)!;
    expect(byKey).toMatchObject({
      action: 'campaign.created',
      actor: { kind: 'key', id: client.apiKey.split('_')[1] },
    });
    expect(byKey.requestId).toBe(requestId);
    expect(Date.parse(byKey.at)).toBeGreaterThan(began - 60_000);
    expect(about('campaign', ofUser.body.id)).toMatchObject({ actor: { kind: 'user', id: user.id } });
    expect(about('organization', client.organizationId)).toMatchObject({
      ...{ action: 'organization.created', actor: { kind: 'operator' }, requestId: null },
    });
  });

  it('is paged: the pages together are the whole list', async () => {
    for (let index = 0; index < 5; index++) await client.post('/api/campaigns', { name: `Campaign ${index}` });
    const whole = await entries();
    const paged: AuditEntryView[] = [];
    for (let path: string | undefined = '/api/audit?limit=2'; path !== undefined;) {
      const { headers, body }: ApiResponse<{ entries: AuditEntryView[] }> = await client.get(path);
      paged.push(...body.entries);
      path = nextPage(headers);
    }
    expect(paged).toEqual(whole);
    expect(whole).toHaveLength(7);
  });

  it('is exported as NDJSON and CSV, beyond one page', async () => {
    await service.database.transaction(async (sql) => {
      for (let index = 0; index < 1_100; index++) {
        const target = { kind: 'campaign', id: index === 0 ? '=1+1' : null } as const;
        await AuditLog.record(sql, { ...operatorOf(client.organizationId), action: 'campaign.created', target });
      }
    });
    const file = async (format: string): Promise<Response> =>
      fetch(`${service.address}/api/audit/export?format=${format}`, { headers: { 'x-api-key': client.apiKey } });
    const ndjson = await file('ndjson');
    expect(ndjson.headers.get('content-type')).toBe('application/x-ndjson');
    expect(ndjson.headers.get('content-disposition')).toBe('attachment; filename="audit.ndjson"');
    const lines = (await ndjson.text()).trimEnd().split('\n');
    const exported = lines.map((line) => JSON.parse(line) as AuditEntryView);
    expect(exported).toHaveLength(1_102);
    expect(exported.slice(0, 1_000)).toEqual(await entries());

    const text = await (await file('csv')).text();
    const rows = text.trimEnd().split('\r\n');
    expect(rows[0]).toBe('id,at,actorKind,actorId,action,targetKind,targetId,requestId,details');
    expect(rows).toHaveLength(1_103);
    expect(text).toContain("'=1+1");
    expect((await file('xml')).status).toBe(400);
  });

  it('requires a key with the scope read', async () => {
    const withScope = async (scope: string): Promise<TestClient> => {
      const { body } = await client.post<{ key: string }>('/api/keys', { scopes: [scope] });
      return service.client(client.organizationId, body.key);
    };
    for (const path of ['/api/audit', '/api/audit/export']) {
      expect((await (await withScope('read')).request(path, { method: 'HEAD' })).status).toBe(200);
      expect((await (await withScope('manage')).get(path)).status).toBe(403);
    }
  });
});
