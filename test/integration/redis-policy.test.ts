import { Redis } from 'ioredis';
import { pino } from 'pino';
import { RedisPolicy } from '../../src/platform/redis/redis-policy.js';
import { connectForCommands, type RedisConnection } from '../../src/platform/redis/connect.js';
import { eventually } from '../support/eventually.js';
import { PrivateRedis } from '../support/private-redis.js';
import { TestService } from '../support/service.js';

let server: PrivateRedis;
let redis: RedisConnection;
let log = '';
let now = 0;
const logger = pino({ level: 'warn' }, { write: (line: string) => void (log += line) });
const policy = () => new RedisPolicy(redis, { now: () => now }, logger);

beforeAll(async () => {
  server = await PrivateRedis.start();
  redis = connectForCommands(server.url);
  await eventually(() => redis.status === 'ready');
});
beforeEach(async () => {
  log = '';
  await redis.config('SET', 'maxmemory-policy', 'noeviction');
  await redis.config('SET', 'appendonly', 'yes');
});
afterAll(async () => {
  redis?.disconnect();
  await server?.remove();
});

it('a database that Redis does not have is refused at the start, because its client would use database 0', async () => {
  const REDIS_URL = `${server.url}/99`;
  await expect(TestService.start({ environment: { REDIS_URL } })).rejects.toThrow(
    /database 99 of REDIS_URL.*set REDIS_URL/,
  );
  const service = await TestService.start({ environment: { REDIS_URL: `${server.url}/9` } });
  await service.stop();
});

describe('a Redis that may evict keys', () => {
  it.each(['allkeys-lru', 'volatile-ttl'])('is refused at the start: %s', async (name) => {
    await redis.config('SET', 'maxmemory-policy', name);
    await expect(TestService.start({ environment: { REDIS_URL: server.url } })).rejects.toThrow(
      new RegExp(`maxmemory-policy ${name}.*set maxmemory-policy to noeviction`),
    );
  });

  it('is reported by a process that finds it later; only a process without traffic becomes unready', async () => {
    const clock = { now: () => now };
    const api = await TestService.start({ environment: { REDIS_URL: server.url, ROLES: 'api,flusher' }, clock });
    const flusher = await TestService.start({ environment: { REDIS_URL: server.url, ROLES: 'flusher' }, clock });
    const ready = async (service: TestService) => {
      now += 10_000;
      const response = await fetch(`${service.address}/health/ready`);
      return { status: response.status, ...((await response.json()) as { roles: object }) };
    };
    const needs = { redis: 'redis evicts keys', postgres: 'ok' };
    try {
      expect((await ready(flusher)).status).toBe(200);
      await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const unready = await eventually(async () => {
        const response = await ready(flusher);
        return response.status === 503 && response;
      });
      expect(unready).toMatchObject({ roles: { flusher: needs } });
      const reported = await eventually(async () => {
        const response = await ready(api);
        return JSON.stringify(response.roles).includes('evicts') && response;
      });
      expect(reported).toMatchObject({ status: 200, roles: { api: needs, flusher: needs } });
      await redis.config('SET', 'maxmemory-policy', 'noeviction');
      await eventually(async () => (await ready(flusher)).status === 200);
    } finally {
      await api.stop();
      await flusher.stop();
    }
  });

  it('is logged as an error whenever a connection finds it', async () => {
    const watched = connectForCommands(server.url);
    const policy = new RedisPolicy(watched, { now: () => now }, logger);
    try {
      await eventually(() => watched.status === 'ready');
      policy.watch();
      await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
      watched.disconnect(true);
      await eventually(() => log.includes('maxmemory-policy'));
      expect(log).toContain('"level":50');
      expect(log).toContain('allkeys-lru');
    } finally {
      watched.disconnect();
    }
  });
});

describe('a Redis that keeps its keys', () => {
  it('passes without a warning if it also keeps an append-only file', async () => {
    await policy().checkAtStart();
    expect(log).toBe('');
  });

  it('passes with a warning if a restart would lose its keys', async () => {
    await redis.config('SET', 'appendonly', 'no');
    await policy().checkAtStart();
    expect(log).toContain('set appendonly yes');
  });
});

describe('a Redis that does not reveal its policy', () => {
  it('passes with a warning when it forbids INFO', async () => {
    await redis.call('ACL', 'SETUSER', 'shy', 'on', 'nopass', '~*', '&*', '+@all', '-info');
    const url = new URL(server.url);
    url.username = 'shy';
    url.password = 'any';
    const shy = new Redis(url.href, { enableReadyCheck: false });
    shy.on('error', () => undefined);
    try {
      await new RedisPolicy(shy, { now: () => 0 }, logger).checkAtStart();
      expect(log).toContain('Could not check whether Redis evicts keys');
    } finally {
      shy.disconnect();
    }
  });

  it('passes when it is down: a process starts without it', async () => {
    const nowhere = connectForCommands('redis://127.0.0.1:1');
    nowhere.on('error', () => undefined);
    try {
      await new RedisPolicy(nowhere, { now: () => 0 }, logger).checkAtStart();
    } finally {
      nowhere.disconnect();
    }
  });
});
