import { eventually } from '../support/eventually.js';
import { becomesReady, Program } from '../support/program.js';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { freePort } from '../../src/embedded/free-port.js';
import { createTestDatabase, createTestRedis } from '../support/services.js';
import { TcpProxy } from '../support/tcp-proxy.js';

function linesOf({ output }: Program): Record<string, unknown>[] {
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('a process on named services writes JSON lines alone, from its start to its end', async () => {
  const database = await createTestDatabase();
  const port = String(await freePort());
  const program = Program.start('roles/main.js', {
    ROLES: 'flusher',
    DATABASE_URL: database.url,
    REDIS_URL: (await createTestRedis()).url,
    // Rarely intended, so the process logs a warning, too.
    AMBIGUOUS_RESEND_AFTER_MS: '0',
    HOST: '127.0.0.1',
    PORT: port,
  });
  try {
    await becomesReady(`http://127.0.0.1:${port}`, program);
    await program.prints('"Ready"');
    program.signal('SIGTERM');
    expect(await program.ended()).toBe(0);
    const lines = linesOf(program);
    for (const line of lines)
      expect(line).toMatchObject({ level: expect.any(Number), time: expect.any(String), roles: 'flusher' });
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 40, msg: expect.stringContaining('AMBIGUOUS_RESEND_AFTER_MS') }),
    );
    const ready = lines.find(({ msg }) => msg === 'Ready');
    expect(ready).toMatchObject({ port: Number(port), operatorPort: expect.any(Number), ms: expect.any(Number) });
    expect(lines.at(-1)).toMatchObject({ msg: 'Stopped' });
  } finally {
    await program.end();
    await database.drop();
  }
});

const UNAVAILABLE = ['Postgres is not available', 'Redis is not available'];

/** A ready worker, whose connections to Postgres and Redis can be cut. */
async function workerBehindProxies(more: Record<string, string> = {}) {
  const database = await createTestDatabase();
  const { url: redisUrl } = await createTestRedis();
  const proxies = await Promise.all([database.url, redisUrl].map((url) => TcpProxy.before(new URL(url))));
  const address = `http://127.0.0.1:${await freePort()}`;
  const program = Program.start('roles/main.js', {
    ROLES: 'worker',
    DATABASE_URL: proxies[0]!.through(database.url),
    REDIS_URL: proxies[1]!.through(redisUrl),
    BASE_URL: 'https://mail.test',
    SMTP_URL: 'smtp://127.0.0.1:9',
    ENCRYPTION_KEYS: newEncryptionKey('test'),
    PLATFORM_SENDING_DOMAIN: 'platform.test',
    HOST: '127.0.0.1',
    PORT: new URL(address).port,
    ...more,
  });
  const end = async (): Promise<void> => {
    await program.end();
    for (const proxy of proxies) await proxy.goDown();
    await database.drop();
  };
  const loseServices = async (): Promise<void> => {
    for (const proxy of proxies) await proxy.goDown();
    const hasWholeLines = (): boolean => program.output.endsWith('\n');
    const hasNoticed = (): boolean => UNAVAILABLE.every((msg) => linesOf(program).some((line) => line['msg'] === msg));
    await eventually(() => hasWholeLines() && hasNoticed(), 30_000);
  };
  const restoreServices = async (): Promise<void> => {
    for (const proxy of proxies) await proxy.comeUp();
    await becomesReady(address, program);
  };
  try {
    await becomesReady(address, program);
  } catch (error) {
    await end();
    throw error;
  }
  return { program, loseServices, restoreServices, end };
}

async function expectOrderlyStop(program: Program): Promise<void> {
  program.signal('SIGTERM');
  expect(await program.ended()).toBe(0);
  const messages = linesOf(program).map(({ msg }) => msg);
  expect(messages.at(-1)).toBe('Stopped');
  expect(messages).not.toContain('Shutdown timed out; unfinished work is recovered at the next start');
}

it('a worker that loses Redis and Postgres writes JSON lines alone', async () => {
  const worker = await workerBehindProxies();
  try {
    await worker.loseServices();
    await worker.restoreServices();
    await expectOrderlyStop(worker.program);
  } finally {
    await worker.end();
  }
});

it('a worker stops within seconds even while Redis and Postgres are down', async () => {
  const worker = await workerBehindProxies();
  try {
    await worker.loseServices();
    await expectOrderlyStop(worker.program);
  } finally {
    await worker.end();
  }
});

it('a flusher that starts while Redis is down logs that once', async () => {
  const database = await createTestDatabase();
  const program = Program.start('roles/main.js', {
    ROLES: 'flusher',
    DATABASE_URL: database.url,
    REDIS_URL: 'redis://127.0.0.1:9',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'debug',
  });
  const count = (message: string): number => program.output.split(message).length - 1;
  try {
    await eventually(() => count('Flushing failed; retrying') >= 5 && program.output.endsWith('\n'), 60_000);
    const warnings = linesOf(program).filter(({ level }) => Number(level) >= 40);
    expect(warnings.map(({ msg }) => msg)).toEqual(['Redis is not available']);
  } finally {
    await program.end();
    await database.drop();
  }
});

it('a worker logs each outage of Redis and Postgres once, and its end', async () => {
  const worker = await workerBehindProxies({ LOG_LEVEL: 'debug' });
  const linesFrom = (level: number) => linesOf(worker.program).filter((line) => Number(line['level']) >= level);
  try {
    const before = linesFrom(40).length;
    await worker.loseServices();
    // Consumers and recurring jobs go on trying.
    await eventually(() => linesFrom(20).filter(({ err }) => err !== undefined).length >= 40, 60_000);
    await worker.restoreServices();
    const ends = ['Postgres is available again', 'Redis is available again'];
    await eventually(() => ends.every((end) => linesFrom(40).some(({ msg }) => msg === end)), 30_000);
    const lines = linesFrom(40).slice(before);
    const lost = 'Lost an idle connection to Postgres';
    expect(
      lines
        .map(({ msg }) => msg)
        .filter((msg) => msg !== lost)
        .sort(),
    ).toEqual([...UNAVAILABLE, ...ends].sort());
    expect(lines.filter(({ msg }) => msg === lost).length).toBeLessThanOrEqual(1);
    for (const line of lines) expect(JSON.stringify(line)).not.toContain('stack');
  } finally {
    await worker.end();
  }
});
