import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { EventConsumer } from '../../../src/events/stream/event-consumer.js';
import { StoreOutages } from '../../../src/platform/health/store-outages.js';
import { connectForCommands } from '../../../src/platform/redis/connect.js';
import { isRedisConnectionOutage, RedisConnectionError } from '../../../src/platform/redis/outage-errors.js';
import { CapturedLog } from '../../support/captured-log.js';

it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'])(
  'a connection to Redis that fails with %s is an outage',
  (code) => expect(isRedisConnectionOutage(Object.assign(new Error('from a socket'), { code }))).toBe(true),
);

describe('the log says why a connection for events could not be opened', () => {
  async function reasonAt(port: number): Promise<string> {
    const log = new CapturedLog('warn', ['flusher']);
    const outages = new StoreOutages();
    outages.reportTo(log.logger);
    const redis = connectForCommands(`redis://127.0.0.1:${port}`);
    redis.on('error', () => undefined);
    const consumer = new EventConsumer(redis, 'one');
    try {
      const error: unknown = await consumer.join().catch((failure: unknown) => failure);
      expect(outages.explains(error)).toBe(true);
      return log.text;
    } finally {
      consumer.close();
      redis.disconnect();
    }
  }

  /** @param response to each command: several may come at once */
  async function listen(response: string): Promise<Server> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => socket.write(response.repeat(String(data).match(/\*\d+\r\n/g)?.length ?? 0)));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  const portOf = (server: Server) => (server.address() as { port: number }).port;

  it('because no address of its name can be reached', () => {
    const cause = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    expect(new RedisConnectionError(cause).message).toBe('ECONNREFUSED');
  });

  it('because nothing listens there', async () => {
    const server = await listen('');
    const port = portOf(server);
    server.close();
    await once(server, 'close');
    expect(await reasonAt(port)).toContain(`connect ECONNREFUSED 127.0.0.1:${port}`);
  });

  it('because Redis refuses it', async () => {
    const server = await listen('-ERR max number of clients reached\r\n');
    try {
      expect(await reasonAt(portOf(server))).toContain('max number of clients reached');
    } finally {
      server.close();
    }
  });
});
