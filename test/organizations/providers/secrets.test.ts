import type { AuditEntryView } from '../../../src/organizations/audit/audit-entries.js';
import { openCredentials, openEventKey } from '../../../src/organizations/providers/provider-secrets.js';
import { SecretBox } from '../../../src/platform/encryption/secret-box.js';
import { newEncryptionKey, readEncryptionKeys } from '../../../src/platform/encryption/encryption-keys.js';
import { connectForBlocking } from '../../../src/platform/redis/connect.js';
import { CapturedLog } from '../../support/captured-log.js';
import { eventually } from '../../support/eventually.js';
import { findInRedis, findInTables, hasOne } from '../../support/find-everywhere.js';
import { addProvider, createProvider, EXAMPLES, exampleOf, SECRET_TEXT } from '../../support/own-providers.js';
import { TestService, type TestClient } from '../../support/service.js';

const log = new CapturedLog('trace', ['api']);
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' }, logger: log.logger });
  client = await service.organization();
});
afterAll(() => service?.stop());

interface Sealed extends Record<string, unknown> {
  readonly id: string;
  readonly credentials: string;
  readonly event_key: string | null;
}

function sealed(by = client): Promise<Sealed[]> {
  return service.database.query<Sealed>(
    `select id, sealed_credentials as credentials, sealed_event_key as event_key from organization_providers
      where organization_id = $1 order by id`,
    [by.organizationId],
  );
}

it('are in no response, no log line, no audit entry and no table or key, whatever is done', async () => {
  const shown: unknown[] = [];
  const show = async <Body>(response: Promise<{ body: Body; headers: Headers }>): Promise<Body> => {
    const { body, headers } = await response;
    shown.push(body, [...headers]);
    return body;
  };
  for (const example of EXAMPLES.map(({ type }) => exampleOf(type))) {
    const { id } = await show(createProvider(client, { name: example.type, ...example }));
    await show(client.get(`/api/providers/${id}`));
    await show(client.patch(`/api/providers/${id}`, { ...example, name: `${example.type} 2` }));
    await show(createProvider(client, { name: `${example.type} 2`, ...example }));
    await show(client.patch(`/api/providers/${id}`, { credentials: { apiKey: `${SECRET_TEXT} `, url: SECRET_TEXT } }));
    await show(client.post('/api/providers', `{"credentials":{"apiKey":"${SECRET_TEXT}`));
  }
  await show(client.get('/api/providers'));
  const { entries } = await show<{ entries: AuditEntryView[] }>(client.get('/api/audit'));
  await show(client.get('/api/audit/export'));
  expect(entries.filter(({ action }) => action.startsWith('provider.'))).toHaveLength(2 * EXAMPLES.length);
  expect(hasOne(JSON.stringify(shown), [SECRET_TEXT])).toBe(false);
  expect(log.text).toContain('/api/providers');
  expect(hasOne(log.text, [SECRET_TEXT])).toBe(false);
  expect(await findInTables(service.database, [SECRET_TEXT])).toEqual([]);
  const redis = connectForBlocking(service.settings.REDIS_URL);
  await eventually(() => redis.status === 'ready');
  expect(await findInRedis(redis, [SECRET_TEXT])).toEqual([]);
  redis.disconnect();
});

it('are sealed for their own row, with all credentials', async () => {
  const by = await service.organization();
  const ids: string[] = [];
  for (const { type } of EXAMPLES) ids.push((await addProvider(by, type)).id);
  const box = new SecretBox(service.settings.ENCRYPTION_KEYS!);
  const rows = await sealed(by);
  expect(rows.map(({ id }) => id)).toEqual(ids);
  for (const [at, { credentials, eventKey }] of EXAMPLES.entries()) {
    const row = rows[at]!;
    expect(openCredentials(box, row.id, row.credentials)).toEqual(credentials);
    expect(row.event_key === null ? undefined : openEventKey(box, row.id, row.event_key)).toBe(eventKey);
    expect(() => openCredentials(box, ids[(at + 1) % ids.length]!, row.credentials)).toThrow(/does not open/);
  }
});

it('are sealed anew by a change, which leaves the others as they are', async () => {
  const by = await service.organization();
  const { id } = await addProvider(by, 'resend');
  const [before] = await sealed(by);
  await by.patch(`/api/providers/${id}`, { eventKey: `whsec_${'A'.repeat(32)}` });
  const [after] = await sealed(by);
  expect(after!.credentials).toBe(before!.credentials);
  expect(after!.event_key).not.toBe(before!.event_key);
  await by.patch(`/api/providers/${id}`, { credentials: exampleOf('resend').credentials, eventKey: null });
  const [last] = await sealed(by);
  expect(last!.credentials).not.toBe(before!.credentials);
  expect(last!.event_key).toBeNull();
});

it('whose encryption key is lost hide the account, and can be replaced', async () => {
  const by = await service.organization();
  const lost = new SecretBox(readEncryptionKeys(newEncryptionKey('lost'))!);
  const ids: string[] = [];
  for (const { type } of EXAMPLES) ids.push((await addProvider(by, type)).id);
  for (const id of ids)
    await service.database.query('update organization_providers set sealed_credentials = $2 where id = $1', [
      id,
      lost.seal('{}', 'another context'),
    ]);
  const { status, body } = await by.get<{ providers: { account: string | null }[] }>('/api/providers');
  expect([status, body.providers.map(({ account }) => account)]).toEqual([200, EXAMPLES.map(() => null)]);
  for (const [at, { type, account }] of EXAMPLES.entries()) {
    const path = `/api/providers/${ids[at]}`;
    expect(await by.get(path)).toMatchObject({ status: 200, body: { account: null } });
    expect(await by.patch(path, { weight: 1 })).toMatchObject({ status: 200, body: { account: null, weight: 1 } });
    const { credentials } = exampleOf(type);
    expect(await by.patch(path, { credentials })).toMatchObject({ status: 200, body: { account } });
  }
});

it('are replaced without their values in the audit log: only the names of the fields', async () => {
  const by = await service.organization();
  const { id } = await addProvider(by, 'resend');
  await by.patch(`/api/providers/${id}`, { name: 'new', perSecond: null, eventKey: null });
  await by.delete(`/api/providers/${id.toUpperCase()}`);
  const { body } = await by.get<{ entries: AuditEntryView[] }>('/api/audit?target=provider');
  const target = { kind: 'provider', id };
  expect(body.entries.map(({ action, target, details }) => ({ action, target, details }))).toEqual([
    { action: 'provider.deleted', target, details: null },
    { action: 'provider.changed', target, details: { fields: ['name', 'perSecond', 'eventKey'] } },
    { action: 'provider.added', target, details: null },
  ]);
});
