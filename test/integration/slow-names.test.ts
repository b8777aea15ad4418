import { execFileSync } from 'node:child_process';
import dns from 'node:dns';
import { close, closeSync, open, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectForCommands, type RedisConnection } from '../../src/platform/redis/connect.js';
import { eventually } from '../support/eventually.js';
import { TestService } from '../support/service.js';

const EMAIL = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
/** The default of libuv. */
const THREADS = 4;
const NAME = 'redis.slow.test';

/**
 * A name look-up that blocks a thread of libuv until the name server is released, as the system's look-up does: opening
 * a pipe for reading blocks until it is opened for writing.
 */
class SlowNameServer {
  started = 0;
  private ended = 0;
  private released = false;
  private readonly system = dns.lookup;

  private constructor(private readonly pipe: string) {}

  static async start(): Promise<SlowNameServer> {
    const pipe = join(await mkdtemp(join(tmpdir(), 'mailbeacon-names-')), 'pipe');
    execFileSync('mkfifo', [pipe]);
    return new SlowNameServer(pipe);
  }

  /** Intercepts look-ups of `NAME`; the system handles all others. */
  install(): void {
    dns.lookup = ((name: string, options: dns.LookupAllOptions, callback: (error: Error) => void): void => {
      if (name !== NAME || this.released) return this.system(name, options, callback as never);
      this.started++;
      open(this.pipe, 'r', (_, descriptor) => {
        this.ended++;
        close(descriptor, () => undefined);
        callback(Object.assign(new Error(`getaddrinfo EAI_AGAIN ${NAME}`), { code: 'EAI_AGAIN' }));
      });
    }) as never;
  }

  async stop(): Promise<void> {
    this.released = true;
    // Readers that wait for a writer continue.
    const writer = openSync(this.pipe, 'r+');
    await eventually(() => this.ended === this.started);
    closeSync(writer);
    dns.lookup = this.system;
    await rm(join(this.pipe, '..'), { recursive: true, force: true });
  }
}

let names: SlowNameServer;
const connections: RedisConnection[] = [];

beforeEach(async () => {
  names = await SlowNameServer.start();
});

afterEach(async () => {
  for (const connection of connections.splice(0)) connection.disconnect();
  await names.stop();
});

/** As many as a process with several roles has. */
function connectToSlowName(): void {
  names.install();
  for (let count = 0; count < 2 * THREADS; count++) {
    const connection = connectForCommands(`redis://${NAME}`);
    connection.on('error', () => undefined);
    connections.push(connection);
  }
}

it('a Redis whose name does not resolve leaves threads for files and other names', async () => {
  connectToSlowName();
  await eventually(() => names.started > 0);
  let found: unknown;
  void dns.promises.lookup('localhost').then((response) => (found = response));
  await eventually(() => found);
  expect(names.started).toBeLessThan(THREADS);
});

it('a Redis whose name does not resolve fails no send: Postgres is found by its name', async () => {
  const beside = await TestService.start({ environment: { ROLES: 'flusher' } });
  const client = await beside.organization();
  const database = new URL(beside.settings.DATABASE_URL);
  database.hostname = 'localhost';
  connectToSlowName();
  const settings = { ...beside.settings, DATABASE_URL: database.href };
  const service = await TestService.start({
    environment: { ROLES: 'api', REDIS_URL: `redis://${NAME}` },
    beside: { settings, mailServer: beside.mailServer },
  });
  try {
    const sender = service.client(client.organizationId, client.apiKey);
    const responses = await Promise.all(Array.from({ length: 10 }, () => sender.post('/api/send', EMAIL)));
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(202));
  } finally {
    await service.stop();
    await beside.stop();
  }
});
