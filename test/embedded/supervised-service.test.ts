import { createServer, type Server } from 'node:net';
import { readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createTransport } from 'nodemailer';
import { Client } from 'pg';
import { findEmbeddedServices, startEmbeddedServices } from '../../src/embedded/embedded-services.js';
import type { EmbeddedServiceError } from '../../src/embedded/embedded-service-error.js';
import { isRunning } from '../../src/embedded/server-process.js';
import { CapturedLog } from '../support/captured-log.js';
import { eventually } from '../support/eventually.js';
import { inTemporaryDirectory } from '../support/temporary-directory.js';

const LIMIT_MS = 60_000;
/** Of every inbox while they are free: that of another test would take them while the inbox of this one is down. */
const USUAL_PORTS = [1025, 1080];

/** Starts the services in a folder of their own, kept running, and stops them after the work. */
async function supervised(
  needs: { postgres: boolean; redis: boolean; inbox: boolean },
  work: (bed: Bed) => Promise<void>,
): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const interruption = new AbortController();
    const usual = await Promise.all(USUAL_PORTS.map(occupy));
    const services = await startEmbeddedServices(needs, directory, { signal: interruption.signal });
    for (const server of usual) server.close();
    const log = new CapturedLog('warn', []);
    const failures: EmbeddedServiceError[] = [];
    services.keepRunning(log.logger, (failure) => failures.push(failure));
    const pids = async (): Promise<number[]> => {
      const text = await readFile(join(directory, '.mailbeacon', 'services.json'), 'utf8');
      return (JSON.parse(text) as { pid: number }[]).map(({ pid }) => pid);
    };
    try {
      await work({ directory, services, log, failures, interruption, pids });
    } finally {
      await services.stop();
    }
  });
}

interface Bed {
  readonly directory: string;
  readonly services: Awaited<ReturnType<typeof startEmbeddedServices>>;
  readonly log: CapturedLog;
  readonly failures: readonly EmbeddedServiceError[];
  readonly interruption: AbortController;
  /** IDs of the running processes, as other programs find them. */
  pids(): Promise<number[]>;
}

async function inRedis<Result>(url: string, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  return work(redis).finally(() => redis.disconnect());
}

async function inPostgres(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

async function sendMail(smtpUrl: string, subject: string): Promise<unknown> {
  const transport = createTransport(smtpUrl);
  const mail = { from: 'a@example.com', to: 'b@example.com', subject, text: 'x' };
  return transport.sendMail(mail).finally(() => transport.close());
}

it('services that are killed run again at their addresses and with their data', async () => {
  await supervised({ postgres: true, redis: true, inbox: true }, async ({ directory, services, log, pids }) => {
    const { databaseUrl, redisUrl, smtpUrl } = services;
    await inPostgres(databaseUrl!, 'create table kept as select 1 as row');
    await inRedis(redisUrl!, (redis) => redis.set('kept', '1'));
    await sendMail(smtpUrl!, 'Kept');
    for (let round = 1; round <= 2; round++) {
      const before = await pids();
      for (const pid of before) process.kill(pid, 'SIGKILL');
      const isUp = async () => (await pids()).every((pid) => !before.includes(pid));
      await eventually(isUp, LIMIT_MS);
      expect(await inPostgres(databaseUrl!, 'select row from kept')).toEqual([{ row: 1 }]);
      expect(await inRedis(redisUrl!, (redis) => redis.get('kept'))).toBe('1');
      await sendMail(smtpUrl!, 'Again');
      expect(await findEmbeddedServices(directory)).toMatchObject({ databaseUrl, redisUrl, smtpUrl });
    }
    const messages = log.text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { msg: string }).msg);
    const ofEach = ['PostgreSQL', 'Redis', 'The inbox'].flatMap((name) => [
      ...[`${name} ended unexpectedly; starting it again`, `${name} runs again`],
      ...[`${name} ended unexpectedly; starting it again`, `${name} runs again`],
    ]);
    expect(messages.sort()).toEqual(ofEach.sort());
    expect(log.text).not.toContain(new URL(databaseUrl!).password);
    // The log of the process that ended, which may have the cause.
    expect((await stat(join(directory, '.mailbeacon', 'postgres.log.1'))).size).toBeGreaterThan(0);
  });
});

it('a service that cannot be started again is reported once, with the reason, after several tries', async () => {
  await supervised({ postgres: false, redis: true, inbox: false }, async ({ services, log, failures, pids }) => {
    const [pid] = await pids();
    process.kill(pid!, 'SIGKILL');
    const inTheWay = await listenAt(Number(new URL(services.redisUrl!).port));
    try {
      await eventually(() => failures.length > 0, LIMIT_MS);
    } finally {
      await new Promise((resolve) => inTheWay.close(resolve));
    }
    expect(failures).toHaveLength(1);
    expect(failures[0]!.message).toMatch(
      /^Redis ended and cannot be started again: Redis did not start: .*listening on port.*redis\.log\)$/,
    );
    expect(log.text.match(/cannot be started again/g)).toHaveLength(4);
  });
});

it('a service whose data is gone is not replaced by an empty one', async () => {
  await supervised({ postgres: false, redis: true, inbox: false }, async ({ directory, failures, pids }) => {
    const home = join(directory, '.mailbeacon', 'redis');
    const [pid] = await pids();
    await rename(home, `${home}.elsewhere`);
    process.kill(pid!, 'SIGKILL');
    await eventually(() => failures.length > 0, LIMIT_MS);
    expect(failures[0]!.message).toContain(`${join(home, 'endpoint.json')} no longer exists`);
    await expect(stat(home)).rejects.toThrow('ENOENT');
  });
});

it('services of a start that has taken the place of a removed folder are left alone', async () => {
  const needs = { postgres: false, redis: true, inbox: false };
  await supervised(needs, async ({ directory, services, log, pids }) => {
    const [pid] = await pids();
    // As if it was removed, which a running Redis survives.
    await rename(join(directory, '.mailbeacon'), join(directory, 'removed'));
    const others = await startEmbeddedServices(needs, directory);
    try {
      const [pidOfOthers] = await pids();
      process.kill(pid!, 'SIGKILL');
      await eventually(() => log.text.includes('cannot be started again'), LIMIT_MS);
      expect(isRunning(pidOfOthers!)).toBe(true);
      await services.stop();
      expect(isRunning(pidOfOthers!)).toBe(true);
      expect(await findEmbeddedServices(directory)).toEqual({ redisUrl: others.redisUrl });
    } finally {
      await others.stop();
    }
  });
});

it('a service that ends after the signal to stop is not started again', async () => {
  await supervised({ postgres: false, redis: true, inbox: false }, async ({ services, log, interruption, pids }) => {
    const [pid] = await pids();
    // As the stop of a unit or of the host does: the service can end first.
    process.kill(pid!, 'SIGTERM');
    await eventually(() => !isRunning(pid!));
    interruption.abort();
    await services.stop();
    expect(log.text).toBe('');
  });
});

/** If the port is free. */
function occupy(port: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(server));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** Tries until a killed server has freed the port. */
function listenAt(port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  return eventually(
    () =>
      new Promise<Server | undefined>((resolve) => {
        server.once('error', () => resolve(undefined));
        server.listen(port, '127.0.0.1', () => resolve(server));
      }),
  );
}
