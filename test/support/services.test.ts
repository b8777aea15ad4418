import { Redis } from 'ioredis';
import { Client } from 'pg';
import { createTestDatabase, createTestRedis } from './services.js';

describe('createTestDatabase', () => {
  it('gives each caller a migrated database of its own', async () => {
    const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    try {
      await query(one.url, 'create table only_here (id int)');
      expect(await query(one.url, "select to_regclass('emails') is not null as found")).toEqual([{ found: true }]);
      expect(await query(other.url, "select to_regclass('only_here') is not null as found")).toEqual([
        { found: false },
      ]);
    } finally {
      await Promise.all([one.drop(), other.drop()]);
    }
    await expect(query(one.url, 'select 1')).rejects.toThrow(/does not exist/);
  });
});

describe('createTestRedis', () => {
  it('gives each caller an empty database of its own', async () => {
    const [one, other] = await Promise.all([createTestRedis(), createTestRedis()]);
    await withRedis(one.url, (redis) => redis.set('key', 'value'));
    expect(await withRedis(other.url, (redis) => redis.dbsize())).toBe(0);
    expect(await withRedis(one.url, (redis) => redis.dbsize())).toBe(1);
    await one.flush();
    expect(await withRedis(one.url, (redis) => redis.dbsize())).toBe(0);
  });

  it('creates a Redis that never evicts data', async () => {
    const { url } = await createTestRedis();
    expect(await withRedis(url, (redis) => redis.config('GET', 'maxmemory-policy'))).toContain('noeviction');
    expect(await withRedis(url, (redis) => redis.config('GET', 'appendonly'))).toContain('yes');
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client.query(sql).then(
    ({ rows }) => client.end().then(() => rows as unknown[]),
    (error: unknown) => client.end().then(() => Promise.reject(error)),
  );
}

async function withRedis<Result>(url: string, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url);
  return work(redis).finally(() => redis.disconnect());
}
