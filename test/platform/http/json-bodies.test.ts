import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { fastify } from 'fastify';
import { BodyBudget } from '../../../src/platform/http/body-budget.js';
import { BYTES_PER_VALUE, MAX_JSON_VALUES } from '../../../src/platform/http/body-limits.js';
import { acceptJsonBodies } from '../../../src/platform/http/json-bodies.js';
import { eventually } from '../../support/eventually.js';

it('counts the values of a body against the budget in addition to its bytes, until the response', async () => {
  const budget = new BodyBudget(10_000_000, 1_000_000);
  const server = fastify();
  server.removeAllContentTypeParsers();
  acceptJsonBodies(server, () => budget.open('one tenant'));
  server.post('/', () => ({ held: budget.held }));
  const body = JSON.stringify(Array(MAX_JSON_VALUES / 2).fill(1));
  const response = await server.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/json' },
    payload: body,
  });
  expect(response.json<{ held: number }>().held).toBeGreaterThanOrEqual(
    body.length + (MAX_JSON_VALUES / 2) * BYTES_PER_VALUE,
  );
  expect(budget.held).toBe(0);
  await server.close();
});

/** A server beside which the turns of the event loop are counted. */
function serverThatCountsTurns() {
  const server = fastify();
  server.removeAllContentTypeParsers();
  const budget = new BodyBudget(100_000_000, 100_000_000);
  acceptJsonBodies(server, () => budget.open('one tenant'));
  let turn = 0;
  let counting = setImmediate(function count() {
    turn += 1;
    counting = setImmediate(count);
  });
  return { server, turns: () => turn, stopCounting: () => clearImmediate(counting) };
}

it('handles large bodies one per turn of the event loop, in order, and lets short ones pass', async () => {
  const { server, turns, stopCounting } = serverThatCountsTurns();
  const handled: { name: string; turn: number }[] = [];
  server.post<{ Body: { name: string } }>('/', { config: { maxBodyBytes: 10_000_000 } }, ({ body: { name } }) =>
    handled.push({ name, turn: turns() }),
  );
  const large = ['a', 'b', 'c', 'd', 'e'];
  const bodies = [...large.map((name) => ({ name, text: 'x'.repeat(500_000) })), { name: 'short' }];
  await Promise.all(bodies.map((payload) => server.inject({ method: 'POST', url: '/', payload })));
  stopCounting();
  await server.close();
  expect(handled.map(({ name }) => name).filter((name) => name !== 'short')).toEqual(large);
  expect(new Set(handled.filter(({ name }) => name !== 'short').map((one) => one.turn)).size).toBe(large.length);
  expect(handled.findIndex(({ name }) => name === 'short')).toBeLessThan(handled.length - 1);
});

it('joins the chunks of large bodies one body per turn of the event loop', async () => {
  const { server, turns, stopCounting } = serverThatCountsTurns();
  const concat = Buffer.concat.bind(Buffer);
  const joined: number[] = [];
  jest.spyOn(Buffer, 'concat').mockImplementation((chunks, length) => {
    if (length !== undefined && length > 500_000) joined.push(turns());
    return concat(chunks, length);
  });
  const maxBodyBytes = 10_000_000;
  server.post('/', { config: { maxBodyBytes } }, () => 'read');
  server.post('/raw', { config: { maxBodyBytes, rawBody: 'message/rfc822' } }, () => 'read');
  const payload = JSON.stringify('x'.repeat(500_000));
  const send = async (type: string, url: string): Promise<number> =>
    (await server.inject({ method: 'POST', url, headers: { 'content-type': type }, payload })).statusCode;
  const statuses = await Promise.all([
    ...[send('application/json', '/'), send('application/json', '/')],
    ...[send('message/rfc822', '/raw'), send('message/rfc822', '/raw')],
  ]);
  stopCounting();
  await server.close();
  jest.restoreAllMocks();
  expect(statuses).toEqual([200, 200, 200, 200]);
  expect(joined).toHaveLength(4);
  expect(new Set(joined).size).toBe(4);
});

it.each([undefined, 10_000_000])(
  'ends a request whose client left while its key was checked; limit of its body: %s',
  async (maxBodyBytes) => {
    const server = fastify();
    server.removeAllContentTypeParsers();
    server.addHook('onRequest', ({ raw }, _reply, done) => void raw.once('close', () => done()));
    acceptJsonBodies(server, () => new BodyBudget(10_000_000, 1_000_000).open('one tenant'));
    const refusals: string[] = [];
    server.setErrorHandler((error: Error, _request, reply) => {
      refusals.push(error.message);
      return reply.send();
    });
    server.post('/', { config: { maxBodyBytes } }, () => 'read');
    await server.listen({ port: 0, host: '127.0.0.1' });
    const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"x"');
    await once(server.server, 'request');
    client.destroy();
    await eventually(() => refusals.length > 0);
    expect(refusals).toEqual(['The body is incomplete']);
    await server.close();
  },
);
