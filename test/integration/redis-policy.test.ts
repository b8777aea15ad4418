import { Redis } from 'ioredis';
import { pino } from 'pino';
import { RedisPolicy } from '../../src/redis/redis-policy.js';
import { connectForCommands, type RedisConnection } from '../../src/redis/connect.js';
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

describe('a Redis that may drop keys', () => {
  it.each(['allkeys-lru', 'volatile-ttl'])('is refused at the start: %s', async (name) => {
    await redis.config('SET', 'maxmemory-policy', name);
    await expect(TestService.start({ environment: { REDIS_URL: server.url } })).rejects.toThrow(
      new RegExp(`maxmemory-policy ${name}.*set maxmemory-policy to noeviction`),
    );
  });

  it('makes a process unready that meets it later, until it is set right', async () => {
    const service = await TestService.start({
      environment: { REDIS_URL: server.url, ROLES: 'api,flusher' },
      clock: { now: () => now },
    });
    const ready = async () => {
      now += 10_000;
      const answer = await fetch(`${service.address}/health/ready`);
      return { status: answer.status, ...((await answer.json()) as { roles: object }) };
    };
    try {
      expect((await ready()).status).toBe(200);
      await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const needs = { redis: 'redis evicts keys', postgres: 'ok' };
      expect(await ready()).toMatchObject({ status: 503, roles: { api: needs, flusher: needs } });
      await redis.config('SET', 'maxmemory-policy', 'noeviction');
      expect((await ready()).status).toBe(200);
    } finally {
      await service.stop();
    }
  });
});

describe('a Redis that keeps its keys', () => {
  it('passes without a word when it also keeps an append-only file', async () => {
    await policy().checkAtStart();
    expect(log).toBe('');
  });

  it('passes with a warning when a restart would lose them', async () => {
    await redis.config('SET', 'appendonly', 'no');
    await policy().checkAtStart();
    expect(log).toContain('set appendonly yes');
  });
});

describe('a Redis that tells nothing', () => {
  it('passes with a warning when it forbids INFO', async () => {
    await redis.call('ACL', 'SETUSER', 'shy', 'on', 'nopass', '~*', '&*', '+@all', '-info');
    const url = new URL(server.url);
    url.username = 'shy';
    url.password = 'any';
    const shy = new Redis(url.href, { enableReadyCheck: false });
    shy.on('error', () => undefined);
    try {
      await new RedisPolicy(shy, { now: () => 0 }, logger).checkAtStart();
      expect(log).toContain('Could not look whether Redis keeps its keys');
    } finally {
      shy.disconnect();
    }
  });

  it('passes when it is away: a process starts without it', async () => {
    const nowhere = connectForCommands('redis://127.0.0.1:1');
    nowhere.on('error', () => undefined);
    try {
      await new RedisPolicy(nowhere, { now: () => 0 }, logger).checkAtStart();
    } finally {
      nowhere.disconnect();
    }
  });
});
