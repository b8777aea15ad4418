import { ApiDocument, type Operation } from '../support/openapi/api-document.js';
import { eventually } from '../support/eventually.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';

let postgres: TestService;
let proxy: TcpProxy;
let service: TestService;
let client: TestClient;
let document: ApiDocument;

beforeAll(async () => {
  postgres = await TestService.start({ environment: { ROLES: 'tracking' } });
  proxy = await TcpProxy.before(new URL(postgres.settings.DATABASE_URL));
  const settings = { ...postgres.settings, DATABASE_URL: proxy.through(postgres.settings.DATABASE_URL) };
  service = await TestService.start({
    beside: { settings, mailServer: postgres.mailServer },
    environment: { ROLES: 'api' },
  });
  client = await service.organization();
  document = await ApiDocument.of(service);
});
afterAll(async () => {
  await service?.stop();
  await proxy?.goDown();
  await postgres?.stop();
});

/** Words from stack traces, SQL statements, drivers, addresses and file names. */
const INTERNALS =
  /\bat .*[:(]\d|\.(ts|js|mjs)\b|node_modules|\bselect\b|\binsert\b|\bupdate .* set\b|relation|syntax|constraint|ECONN|postgres|redis|127\.0\.0\.1|localhost|\/work|\/tmp|SQLSTATE|FST_|HPE_|TypeError/i;

function expectNoInternals(response: ApiResponse<unknown>): void {
  expect(JSON.stringify(response.body)).not.toMatch(INTERNALS);
  for (const [name, value] of response.headers) expect(`${name}: ${value}`).not.toMatch(INTERNALS);
  expect(response.body).toEqual(expect.objectContaining({ error: expect.stringMatching(/^[A-Za-z].{3,}/) }));
  expect(response.headers.get('x-request-id')).toBeTruthy();
}

function send(op: Operation, id: string): Promise<ApiResponse<unknown>> {
  const content = document.exampleContent(op);
  return client.request(op.path.replace(/\{\w+\}/, id), {
    method: op.method,
    headers: { ...(content && { 'content-type': content.type }) },
    ...(content && { body: content.text }),
  });
}

function exampleId({ parameters }: Operation): string {
  return String(parameters.find((parameter) => parameter.in === 'path')?.schema.examples[0]);
}

describe('V29: no error reveals internals of the service', () => {
  const ids = ["' or 1=1 --", '1', '-1', '0190f3a4', 'null', '../keys', '{}', 'x'.repeat(700), '💌', '%', '%00'];

  it.each(ids)('the unknown ID %j', async (id) => {
    for (const op of document.operations.filter(({ path }) => path.includes('{'))) {
      const response = await send(op, id === '%' || id === '%00' ? id : encodeURIComponent(id));
      expect([op.name, [400, 404].includes(response.status)]).toEqual([op.name, true]);
      expectNoInternals(response);
    }
  });

  it('bad JSON, bad paths, bad methods, long addresses', async () => {
    const json = { 'content-type': 'application/json' };
    const responses = [
      await client.post('/api/send', '{"from": nope}'),
      await client.post('/api/send', '\ufeff{}', json),
      await client.get('/api/../etc/passwd'),
      await client.get('/api/%2e%2e/%2e%2e/etc/passwd'),
      await client.get('/nothing'),
      await client.request('/api/campaigns', { method: 'PUT', headers: json, body: '{}' }),
      await client.get(`/api/campaigns/${'x'.repeat(5_000)}`),
    ];
    for (const response of responses) {
      expect([400, 404, 405, 414]).toContain(response.status);
      expectNoInternals(response);
    }
  });
});

describe('V29: while Postgres is down', () => {
  it('every route returns 503 with a neutral message and Retry-After, and works afterwards', async () => {
    await proxy.goDown();
    try {
      // It reads only its key from Postgres, which may be cached, and its response does not end.
      for (const op of document.operations.filter(({ name }) => name !== 'GET /api/live')) {
        const response = await send(op, exampleId(op));
        expect([op.name, response.status, response.headers.get('retry-after')]).toEqual([op.name, 503, '5']);
        expect(document.problemsOf(op, response)).toEqual([]);
        expectNoInternals(response);
      }
    } finally {
      await proxy.comeUp();
    }
    await eventually(async () => (await client.get('/api/campaigns')).status === 200);
  });
});
