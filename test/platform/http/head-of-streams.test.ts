import { Readable } from 'node:stream';
import { fastify } from 'fastify';
import { endStreamsOfHead } from '../../../src/platform/http/head-of-streams.js';
import { eventually } from '../../support/eventually.js';

it('a HEAD request ends the stream of its response without reading it, and has its headers', async () => {
  const server = fastify();
  endStreamsOfHead(server);
  let read = 0;
  let isClosed = false;
  async function* pieces(): AsyncGenerator<string> {
    for (; read < 10_000; read++) yield 'x'.repeat(10_000);
  }
  server.get('/file', (_request, reply) => {
    const file = Readable.from(pieces(), { highWaterMark: 1 }).once('close', () => (isClosed = true));
    return reply.header('content-type', 'text/csv').send(file);
  });
  server.get('/text', (_request, reply) => reply.send('four'));
  try {
    const address = await server.listen({ host: '127.0.0.1', port: 0 });
    const response = await fetch(`${address}/file`, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv']);
    await eventually(() => isClosed);
    expect(read).toBeLessThan(3);
    const text = await fetch(`${address}/text`, { method: 'HEAD' });
    expect(text.headers.get('content-length')).toBe('4');
    read = 9_999;
    expect(await (await fetch(`${address}/file`)).text()).toHaveLength(10_000);
  } finally {
    await server.close();
  }
});
