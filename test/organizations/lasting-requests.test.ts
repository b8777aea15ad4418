import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { requireKeys, type KeyCheck } from '../../src/organizations/key-check.js';
import { eventually } from '../support/eventually.js';

let server: FastifyInstance;
/** Paths of the requests that were checked again, once per check. */
let rechecked: string[];
let admitted: string[];

beforeEach(async () => {
  [rechecked, admitted] = [[], []];
  const keys = {
    // The check of one request takes longer than its client stays.
    admit: async ({ url }: FastifyRequest, reply: FastifyReply) => {
      if (url === '/api/gone') await once(reply.raw, 'close');
      admitted.push(url);
    },
    checkAgain: () => Promise.resolve(),
    stillAdmits: ({ url }: FastifyRequest) => Promise.resolve(rechecked.push(url) > 0),
  };
  server = Fastify();
  requireKeys(server, keys as unknown as KeyCheck, () => undefined as never);
  for (const path of ['/api/gone', '/api/stays'])
    server.get(path, { config: { maxResponseMs: 60_000 } }, (_, reply) => void reply.hijack());
  await server.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => server.close());

async function request(path: string) {
  const { port } = server.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: api.test\r\n\r\n`);
  return socket;
}

it('a request whose client left before its key was checked is never checked again', async () => {
  const gone = await request('/api/gone');
  // The server has the request by then: it reads its connections in order.
  const stays = await request('/api/stays');
  await eventually(() => admitted.includes('/api/stays'));
  gone.destroy();
  await eventually(() => admitted.includes('/api/gone'));
  await eventually(() => rechecked.filter((path) => path === '/api/stays').length > 2);
  stays.destroy();
  expect(rechecked).not.toContain('/api/gone');
});
