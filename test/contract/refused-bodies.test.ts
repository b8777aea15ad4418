import { TestService, type TestClient } from '../support/service.js';

/* The error for a body that the service cannot read says what to change. */

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

it('415 for another media type than that of most routes', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const response = await client.post('/api/campaigns', 'name=x', { 'content-type': type });
    expect(response).toMatchObject({
      status: 415,
      body: { error: 'The Content-Type must be application/json' },
    });
  }
});

it.each([
  ['/api/suppressions/import', 'application/json', 'The Content-Type must be text/csv'],
  [
    '/api/broadcasts/01890a5d-ac96-774b-bcce-b302099a8057/recipients',
    'application/vnd.ms-excel',
    'The Content-Type must be one of application/json, text/csv, application/x-ndjson',
  ],
  ['/api/campaigns', 'json', 'The Content-Type is not a valid media type'],
])('415 of %s for %s names what the route takes', async (path, type, error) => {
  expect(await client.post(path, '{}', { 'content-type': type })).toMatchObject({ status: 415, body: { error } });
});

it('415 for a compressed body', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  expect(await client.post('/api/campaigns', '{"name":"x"}', headers)).toMatchObject({
    status: 415,
    body: { error: 'The body must not be compressed' },
  });
});

it.each([
  ['{\n  "name": "x",\n}', 'The body is not valid JSON: line 3, column 1'],
  ["{'name': 'x'}", 'The body is not valid JSON: line 1, column 2'],
  ['\uFEFF{"name": "x" "y"}', 'The body is not valid JSON: line 1, column 14'],
  ['{"name": "x"', 'The body is not valid JSON: it ends too early'],
  ['{"name": x}', 'The body is not valid JSON'],
  ['\n\n[1,\n\n  2 3]', 'The body is not valid JSON: line 5, column 5'],
  // V8 quotes the beginning.
  ['at position 9', 'The body is not valid JSON'],
  ['Unexpected end', 'The body is not valid JSON'],
  [
    '{"name": "x", "__proto__": {}}',
    'The body must not have keys that change the prototype of an object, such as __proto__',
  ],
])('400 for the body %j says where it is wrong, without quoting it', async (text, error) => {
  expect(await client.post('/api/campaigns', text)).toMatchObject({ status: 400, body: { error } });
});
