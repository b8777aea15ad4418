import { ApiDocument, type Json, type Operation } from '../support/openapi/api-document.js';
import { createOwnedResources } from '../support/owned-resources.js';
import { apiRoutes, nameOf } from '../support/routes.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

const service = await TestService.start({
  environment: { ROLES: 'api', RATE_LIMIT_PER_MINUTE: '0', DOMAIN_CREATIONS_PER_HOUR: '0' },
});
const document = await ApiDocument.of(service);
let owner: TestClient;
let owned: Record<string, string>;
beforeAll(async () => {
  owner = await service.organization();
  owned = await createOwnedResources(owner);
  // A broadcast without recipients cannot be sent.
  await owner.post(`/api/broadcasts/${owned.broadcasts}/recipients`, { recipients: [{ to: 'reader@example.com' }] });
});
afterAll(() => service.stop());

const email = { to: 'reader@example.com', subject: 'S', htmlContent: '<a href="https://example.com/">a</a>' };
const withBody = document.operations.filter((op) => document.exampleBody(op));

/** Routes with an ID need one that exists, so that they validate bodies and queries. */
function pathOf({ path }: Operation): string {
  return path.replace(/\{\w+\}/g, owned[path.split('/')[2]!]!);
}

/** A client that has the resources in the path. For a path without parameters it has none, so names are unused. */
function clientFor({ path }: Operation): Promise<TestClient> {
  return path.includes('{') ? Promise.resolve(owner) : service.organization();
}

function send(client: TestClient, op: Operation, body: string): Promise<ApiResponse<Json>> {
  const headers = { 'content-type': 'application/json', prefer: 'respond-async' };
  return client.request(pathOf(op), { method: op.method, headers, body });
}

function fieldsOf(op: Operation): { name: string; required: boolean }[] {
  const { schema } = op.requestBody!.content!['application/json']!;
  const { properties, required = [] } = document.resolve(schema) as { properties: Json; required?: string[] };
  // The examples have no template, which could replace a subject.
  const isNeeded = (name: string) => required.includes(name) || (name === 'subject' && 'templateId' in properties);
  return Object.keys(properties).map((name) => ({ name, required: isNeeded(name) }));
}

/** The documented example with some fields replaced. @param changes as JSON; undefined leaves the field out */
function bodyWith(op: Operation, changes: Record<string, string | undefined>): string {
  const example = Object.entries(document.exampleBody(op)!).map(([name, value]) => [name, JSON.stringify(value)]);
  const fields = { ...(Object.fromEntries(example) as Record<string, string>), ...changes };
  const written = Object.entries(fields).filter(([, value]) => value !== undefined);
  return `{${written.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
}

it('covers every route that takes input', () => {
  const routes = apiRoutes().map((route) => nameOf(route).replace(/:(\w+)/g, '{$1}'));
  const names = document.operations.map(({ name }) => name);
  expect(names.sort()).toEqual(routes.sort());
  expect(withBody.length).toBeGreaterThan(5);
});

describe.each(withBody.map((op) => [op.name, op] as const))('the body of %s', (_name, op) => {
  it.each(fieldsOf(op).map(({ name, required }) => [name, required] as const))(
    'has no %s if it is null',
    async (field, required) => {
      const [absent, nothing] = [bodyWith(op, { [field]: undefined }), bodyWith(op, { [field]: 'null' })];
      const [left, given] = [await send(await clientFor(op), op, absent), await send(await clientFor(op), op, nothing)];
      expect(given.status).toBe(left.status);
      if (required) expect(given).toMatchObject({ status: 400, body: { details: [{ field }] } });
      else expect(given.status).toBeLessThan(300);
    },
  );
});

describe.each(['/api/send', '/api/emails'])('%s', (path) => {
  it.each(['replyTo', 'campaignId', 'metadata', 'cc', 'bcc'])('accepts null for %s', async (field) => {
    const body = { ...email, from: 'ada@acme.example', [field]: null };
    const { status } = await owner.post(path, body, { prefer: 'respond-async' });
    expect(status).toBe(path === '/api/send' ? 202 : 200);
  });
});
