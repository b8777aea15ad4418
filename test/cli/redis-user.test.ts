import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { PROCESS_ROLES, type ProcessRole } from '../../src/platform/database/process-rights.js';
import { runCommandWith } from '../support/command-line.js';
import { PrivateRedis } from '../support/private-redis.js';
import { makeThrowAwayDirectory } from '../support/throw-away-directory.js';

const PASSWORD = 'a password: with "signs" #1';

let directory: string;
let redis: PrivateRedis;
const connections: Redis[] = [];

const redisUser = (...options: string[]) =>
  runCommandWith({ environment: {}, input: `${PASSWORD}\n` }, 'redis', 'user', ...options);

async function printUser(...options: string[]): Promise<string> {
  const { code, output } = await redisUser(...options);
  expect([options, code]).toEqual([options, 0]);
  return output;
}

beforeAll(async () => {
  directory = await makeThrowAwayDirectory('mailbeacon-acl-');
  const file = join(directory, 'users.acl');
  const lines = await Promise.all(PROCESS_ROLES.map((role) => printUser('--role', role)));
  expect(lines.join('')).not.toContain(PASSWORD);
  await writeFile(file, `user default on nopass ~* &* +@all\n${lines.join('')}`);
  redis = await PrivateRedis.start('--aclfile', file);
});
afterAll(async () => {
  for (const connection of connections) connection.disconnect();
  await redis?.remove();
  await rm(directory, { recursive: true, force: true });
});

async function as(role: ProcessRole, ...command: string[]): Promise<unknown> {
  const url = new URL(redis.url);
  const connection = new Redis(Number(url.port), url.hostname, {
    username: `mailbeacon_${role}`,
    password: PASSWORD,
    retryStrategy: null,
  });
  connection.on('error', () => undefined);
  connections.push(connection);
  return connection.call(command[0]!, ...command.slice(1));
}

describe('the user of Redis that `redis user` prints', () => {
  it.each(PROCESS_ROLES)(
    '%s logs in with its password and may execute the writes of the readiness check',
    async (role) => {
      expect(await as(role, 'PING')).toBe('PONG');
      expect(await as(role, 'SET', '{mailbeacon}:write-probe', '1', 'PX', '1000')).toBe('OK');
      expect(String(await as(role, 'INFO', 'memory'))).toContain('maxmemory_policy');
    },
  );

  it.each(PROCESS_ROLES)('%s reaches no other key, no other user and not the server', async (role) => {
    for (const command of [
      ['GET', 'other'],
      ['SET', '{mailbeacon}:other', '1'],
      ['KEYS', '*'],
      ['FLUSHALL'],
      ['FLUSHDB'],
      ['CONFIG', 'GET', '*'],
      ['ACL', 'LIST'],
      ['ACL', 'SETUSER', `mailbeacon_${role}`, '+@all'],
      ['SHUTDOWN', 'NOSAVE'],
      ['MONITOR'],
      ['CLIENT', 'LIST'],
      ['CLIENT', 'KILL', 'TYPE', 'normal'],
      ['SCRIPT', 'FLUSH'],
      ['REPLICAOF', 'NO', 'ONE'],
      ['SUBSCRIBE', 'other'],
      ['PUBLISH', 'other', 'x'],
      ['SAVE'],
    ]) {
      await expect(as(role, ...command)).rejects.toThrow(/NOPERM/);
    }
  });

  // A replay of the spool waits for the flushers while the stream is large.
  it.each<ProcessRole>(['api', 'tracking', 'worker', 'bounces'])('%s measures the events that wait', async (role) => {
    expect(await as(role, 'MEMORY', 'USAGE', '{mailbeacon}:events')).toBeNull();
  });

  // During a rolling upgrade, and after a return, workers of 0.2.0 use the same user.
  it('worker runs the recurring jobs of release 0.2.0', async () => {
    expect(await as('worker', 'ZRANGE', '{mailbeacon}:recurring:repeat', '0', '-1')).toEqual([]);
    expect(await as('worker', 'BZPOPMIN', '{mailbeacon}:recurring:marker', '0.01')).toBeNull();
  });

  it.each<[ProcessRole, string[]]>([
    ['tracking', ['XRANGE', '{mailbeacon}:events', '-', '+']],
    ['tracking', ['XTRIM', '{mailbeacon}:events', 'MAXLEN', '0']],
    ['tracking', ['DEL', '{mailbeacon}:events']],
    ['tracking', ['EVAL', 'return 1', '0']],
    ['tracking', ['LRANGE', '{mailbeacon}:emails:wait', '0', '-1']],
    ['bounces', ['XREAD', 'STREAMS', '{mailbeacon}:events', '0']],
    ['bounces', ['ZADD', '{mailbeacon}:emails:prioritized', '1', 'x']],
    ['api', ['XREADGROUP', 'GROUP', 'flushers', 'x', 'STREAMS', '{mailbeacon}:events', '>']],
    ['api', ['HGETALL', '{mailbeacon}:recurring-runs']],
    ['smtp', ['XADD', '{mailbeacon}:events', '*', 'a', 'b']],
    ['smtp', ['HGETALL', '{mailbeacon}:emails:1']],
    ['smtp', ['XRANGE', '{mailbeacon}:live:organization', '-', '+']],
    ['smtp', ['HGETALL', '{mailbeacon}:recurring-runs']],
    ['worker', ['XRANGE', '{mailbeacon}:events', '-', '+']],
    ['worker', ['DUMP', '{mailbeacon}:events']],
    ['worker', ['COPY', '{mailbeacon}:events', '{mailbeacon}:emails:copy']],
    ['worker', ['SUBSCRIBE', '{mailbeacon}:ends:api']],
    ['worker', ['XGROUP', 'DESTROY', '{mailbeacon}:events', 'flushers']],
    ['flusher', ['PUBLISH', '{mailbeacon}:ends:api', '{}']],
    ['flusher', ['SUBSCRIBE', '{mailbeacon}:live:organization']],
    ['flusher', ['SCAN', '0']],
    ['flusher', ['HGETALL', '{mailbeacon}:emails:1']],
    ['flusher', ['GET', '{mailbeacon}:rate:organization:1']],
    ['flusher', ['GET', '{mailbeacon}:dispatch-epoch']],
    ['flusher', ['GET', '{mailbeacon}:provider-pause:smtp']],
  ])('%s does not: %s', async (role, command) => {
    await expect(as(role, ...command)).rejects.toThrow(/NOPERM/);
  });

  it('has the given name, and is refused for an unknown role', async () => {
    expect(await printUser('--role', 'worker', '--name', 'mailer')).toMatch(/^user mailer on #[0-9a-f]{64} /);
    const refused = await redisUser('--role', 'owner');
    expect(refused).toEqual({ code: 1, output: expect.stringContaining('must be one of api,') });
  });
});
