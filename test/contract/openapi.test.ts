import { ApiDocument } from '../support/openapi/api-document.js';
import { apiRoutes, bearerRoutes, keylessRoutes, nameOf, sessionRoutes, type Route } from '../support/routes.js';
import { TestService } from '../support/service.js';

let service: TestService;
let document: ApiDocument;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  document = await ApiDocument.of(service);
});
afterAll(() => service?.stop());

const documentedName = (route: Route) => nameOf(route).replace(/:(\w+)/g, '{$1}');
const routes = apiRoutes().map(documentedName);
const keyless = keylessRoutes().map(documentedName);
const ofSessions = sessionRoutes().map(documentedName);
const withBearer = bearerRoutes().map(documentedName);
/** Schemas that were checked already; many routes share them. */
const described = new WeakSet<object>();

describe('/openapi.json', () => {
  it('is OpenAPI 3.1 and names the API key', () => {
    expect(document.json).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\.\d+$/),
      info: { title: 'Mailbeacon', description: expect.any(String), version: expect.any(String) },
      components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } } },
      security: [{ apiKey: [] }, { session: [] }],
    });
    expect(JSON.stringify(document.json)).not.toContain('"nullable"');
  });

  it('describes exactly the existing routes', () => {
    expect(document.operations.map(({ name }) => name).sort()).toEqual(routes.sort());
    expect(document.keylessOperations.map(({ name }) => name).sort()).toEqual(keyless.sort());
    expect(document.sessionOperations.map(({ name }) => name).sort()).toEqual(ofSessions.sort());
    expect(document.bearerOperations.map(({ name }) => name).sort()).toEqual(withBearer.sort());
  });

  it('describes the addresses of the tracking edge, with their statuses', async () => {
    expect(document.trackingOperations.map(({ name }) => name)).toEqual([
      'GET /api/t/o/{token}',
      'GET /api/t/c/{token}',
      'GET /api/t/u/{token}',
      'POST /api/t/u/{token}',
    ]);
    const edge = await TestService.start({ environment: { ROLES: 'tracking' } });
    try {
      for (const { name, method, path, responses } of document.trackingOperations) {
        const { status, headers } = await fetch(edge.address + path.replace('{token}', 'x'), { method });
        const [type] = Object.keys(responses[status]?.content ?? {});
        expect([name, status, headers.get('content-type')]).toEqual([name, status, expect.stringContaining(type!)]);
      }
    } finally {
      await edge.stop();
    }
  });

  it('gives every operation a unique name', () => {
    const { operations, keylessOperations, sessionOperations, bearerOperations, trackingOperations } = document;
    const others = [...keylessOperations, ...sessionOperations, ...bearerOperations, ...trackingOperations];
    const all = [...operations, ...others];
    const ids = all.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe.each([...routes, ...keyless, ...ofSessions, ...withBearer])('%s', (name) => {
  const isOpen = keyless.includes(name);
  const scheme = withBearer.includes(name) ? 'bearer' : 'session';
  const security = routes.includes(name) ? undefined : isOpen ? [] : [{ [scheme]: [] }];

  it('describes parameters, headers and fields, each with a valid example', () => {
    const op = document.operation(name);
    expect(op.summary).toMatch(/^[A-Z]/);
    expect(op.security).toEqual(security);
    for (const parameter of op.parameters) expectExample(parameter.name, parameter.schema, parameter);
    const bodies = [op.requestBody, ...Object.values(op.responses)].flatMap((one) => Object.values(one?.content ?? {}));
    for (const content of bodies) expectExamplesIn(content!.schema);
    for (const [status, { description, headers }] of Object.entries(op.responses)) {
      expect(description).toMatch(/^[A-Z]/);
      expect(Object.keys(headers)).toContain('X-Request-Id');
      if (status === '429' || status === '503') expect(Object.keys(headers)).toContain('Retry-After');
      if (!isOpen && Number(status) < 400) expect(Object.keys(headers)).toContain('RateLimit');
      for (const [header, { schema }] of Object.entries(headers)) expectExample(header, schema, schema);
    }
  });

  it('documents every status that such a route can return', () => {
    const op = document.operation(name);
    const always = ['401', '429', '500', '503', ...(op.method === 'GET' ? [] : ['400', '408', '413', '415'])];
    const byId = op.parameters.some((parameter) => parameter.in === 'path') ? ['400', '404', '414'] : [];
    expect(Object.keys(op.responses)).toEqual(expect.arrayContaining([...always, ...byId]));
    for (const parameter of op.parameters.filter(({ in: place }) => place === 'query')) {
      expect([parameter.name, Object.keys(op.responses)]).toEqual([parameter.name, expect.arrayContaining(['400'])]);
    }
  });

  it('returns the documented response without a key', async () => {
    const op = document.operation(name);
    const response = await service.client('', '').request(op.path.replace(/\{\w+\}/, 'x'), { method: op.method });
    // Routes with other authentication are 404 until it is configured, signing in requires a page of the same origin,
    // and everybody may know how to sign in.
    const isSession = op.tags.includes('Session');
    const open = isSession && op.path.endsWith('/options') ? 200 : isSession && op.method === 'POST' ? 403 : 404;
    expect(response.status).toBe(isOpen ? open : 401);
    expect(document.problemsOf(op, response)).toEqual([]);
    if (isOpen) return;
    // With a challenge for a password, a browser would ask the users of the dashboard for one.
    const challenge = withBearer.includes(name) ? 'Bearer realm="Mailbeacon"' : null;
    expect(response.headers.get('www-authenticate')).toBe(challenge);
    expect('WWW-Authenticate' in op.responses[401]!.headers).toBe(challenge !== null);
  });

  function expectExamplesIn(schema: object): void {
    const resolved = document.resolve(schema);
    if (described.has(resolved)) return;
    const { properties, items, ...rest } = resolved as { properties?: object; items?: object };
    expectExample(name, schema, rest);
    for (const [field, property] of Object.entries(properties ?? {})) {
      expectExample(field, property as object, document.resolve(property as object));
      expectExamplesIn(property as object);
    }
    if (items) expectExamplesIn(items);
    described.add(resolved);
  }

  function expectExample(of: string, schema: object, described: object): void {
    const { examples } = document.resolve(schema) as { examples?: unknown[] };
    expect([of, described]).toEqual([of, expect.objectContaining({ description: expect.stringMatching(/\S/) })]);
    const validate = document.validator(schema);
    expect([of, examples?.map((example) => validate(example) || [example, validate.errors])]).toEqual([of, [true]]);
  }
});
