import { fastify, type FastifyReply } from 'fastify';
import { ApiDocument } from './api-document.js';
import { RecordedResponses } from './recorded-responses.js';

const item = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    count: { type: ['integer', 'null'] },
    at: { type: 'string', format: 'date-time' },
  },
  required: ['id', 'count'],
};
const list = { type: 'object', properties: { items: { type: 'array', items: { $ref: '#/components/schemas/Item' } } } };
const responses = { 200: { content: { 'application/json': { schema: list } } }, 202: {}, 204: {} };
const document = new ApiDocument({
  paths: { '/planted/{id}': { get: { responses } } },
  components: { schemas: { Item: item } },
});
const recorded = new RecordedResponses(async () => document);
afterAll(() => recorded.stop());

/** Returns how the check of a server's only response ends: `undefined` if it agrees with the document. */
async function checkOf(respond: (reply: FastifyReply) => void, path = '/planted/:id'): Promise<string | undefined> {
  const server = fastify();
  server.get('/openapi.json', () => '{}');
  server.get(path, (_request, reply) => respond(reply));
  await server.inject(path.replace(':id', '1'));
  await server.close();
  return recorded.expectDocumented().then(
    () => undefined,
    ({ message }: Error) => message.replace('The OpenAPI document differs:\n', ''),
  );
}

const RESPONDED = 'GET /planted/{id} responded 200: ';

describe('the check of responses', () => {
  it('accepts what the document describes', async () => {
    const items = [
      { id: 'a', count: null },
      { id: 'b', count: 1, at: '2026-03-01T09:30:00.000Z' },
    ];
    expect(await checkOf((reply) => void reply.send({ items }))).toBeUndefined();
    expect(await checkOf((reply) => void reply.status(204).send())).toBeUndefined();
  });

  it('refuses an undocumented status', async () => {
    const problem = 'GET /planted/{id} responded 404: the status is not documented, only 200, 202, 204';
    expect(await checkOf((reply) => void reply.status(404).send({ error: 'Not found' }))).toBe(problem);
  });

  it.each([
    ['an undocumented field', { id: 'a', count: 1, extra: 1 }, '/items/0 has the undocumented field extra'],
    ['a missing field', { id: 'a' }, '/items/0 lacks the required field count'],
    ['another type', { id: 7, count: 1 }, '/items/0/id must be string, but is 7'],
    ['null where it is not documented', { id: null, count: 1 }, '/items/0/id must be string, but is null'],
    ['another format', { id: 'a', count: 1, at: 'now' }, '/items/0/at must match format "date-time", but is "now"'],
  ])('refuses %s', async (_name, one, problem) => {
    expect(await checkOf((reply) => void reply.send({ items: [one] }))).toBe(RESPONDED + problem);
  });

  it('refuses another media type and a missing body', async () => {
    const inJson = 'application/json is documented';
    const asText = checkOf((reply) => void reply.type('text/plain').send('{"items":[]}'));
    expect(await asText).toBe(`${RESPONDED}it has text/plain, but ${inJson}`);
    expect(await checkOf((reply) => void reply.send())).toBe(`${RESPONDED}it has no body, but ${inJson}`);
  });

  it('refuses a body that is not JSON, and names its route', async () => {
    const broken = checkOf((reply) => void reply.type('application/json').send('{"items":'));
    expect(await broken).toBe(`${RESPONDED}its body is not JSON`);
  });

  it('refuses a body with a status that documents none', async () => {
    const problem = 'GET /planted/{id} responded 202: it has text/plain, but no body is documented';
    expect(await checkOf((reply) => void reply.status(202).type('text/plain').send('x'))).toBe(problem);
  });

  it('leaves out routes that the document does not list', async () => {
    expect(await checkOf((reply) => void reply.status(418).send(), '/page')).toBeUndefined();
  });
});
