import { ApiDocument } from '../support/openapi/api-document.js';
import { DocumentedExamples } from '../support/documented-examples.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;
let document: ApiDocument;
let examples: DocumentedExamples;

beforeAll(async () => {
  service = await TestService.start();
  client = await service.organization();
  document = await ApiDocument.of(service);
  examples = new DocumentedExamples(document, client);
});
afterAll(() => service?.stop());

describe('a refused request gets the documented response', () => {
  it('for an example ID, which does not exist', async () => {
    for (const op of document.operations.filter(({ path }) => path.includes('{id}'))) {
      const response = await examples.send(op);
      expect([op.name, response.status]).toEqual([op.name, 404]);
      examples.expectDocumented(op, response);
    }
  });

  it.each([
    ['nothing', '{}', 'application/json', 400],
    ['no JSON', '{', 'application/json', 400],
    ['a form', 'a=b', 'application/x-www-form-urlencoded', 415],
  ])('for %s as body', async (_name, body, contentType, status) => {
    for (const op of document.operations.filter((one) => document.exampleBody(one))) {
      // These bodies have no required fields.
      if (['createKey', 'renderTemplate', 'sendBroadcast'].includes(op.operationId) && body === '{}') continue;
      const headers = { 'content-type': contentType };
      const response = await client.request(op.path, { method: op.method, headers, body });
      expect([op.name, response.status]).toEqual([op.name, status]);
      examples.expectDocumented(op, response);
    }
  });

  it('for an invalid value of every query parameter', async () => {
    for (const op of document.operations) {
      for (const { name } of op.parameters.filter(({ in: place }) => place === 'query')) {
        const response = await examples.send(op, { [name]: '\0' });
        expect([op.name, name, response.status]).toEqual([op.name, name, 400]);
        examples.expectDocumented(op, response);
      }
    }
  });

  it('for one campaign more than the plan allows', async () => {
    const small = await service.organization('free');
    const create = (name: string) => small.post('/api/campaigns', { name });
    for (let made = 0; made < 10; made++) await create(`Campaign ${made}`);
    const response = await create('One more');
    expect(response.status).toBe(403);
    examples.expectDocumented(document.operation('POST /api/campaigns'), response);
  });
});
