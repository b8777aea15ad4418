import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { readDemoOrganization } from '../../src/embedded/demo-organization.js';
import { findEmbeddedServices, startEmbeddedServices } from '../../src/embedded/embedded-services.js';
import { inTemporaryDirectory } from '../support/temporary-directory.js';

/** What a full disk or a loss of power leaves of a file that is being written. */
const REMAINS = ['', '{"por'];

const needs = { postgres: false, redis: true, inbox: true };

async function withRedis<Result>(url: string, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url, { retryStrategy: null });
  return work(redis).finally(() => redis.disconnect());
}

describe.each(REMAINS)('a start after a crash that left only %j of a file', (remains) => {
  it('starts the services with their data', async () => {
    await inTemporaryDirectory(async (directory) => {
      const state = (...names: string[]): string => join(directory, '.mailbeacon', ...names);
      const first = await startEmbeddedServices(needs, directory);
      await withRedis(first.redisUrl!, (redis) => redis.set('kept', '1'));
      await first.stop();
      for (const file of [state('redis', 'endpoint.json'), state('inbox', 'endpoint.json'), state('services.json')])
        await writeFile(file, remains);
      expect(await findEmbeddedServices(directory)).toBeUndefined();
      const second = await startEmbeddedServices(needs, directory);
      expect(await withRedis(second.redisUrl!, (redis) => redis.get('kept'))).toBe('1');
      await second.stop();
    });
  });

  it('knows no demo organization', async () => {
    await inTemporaryDirectory(async (directory) => {
      await mkdir(join(directory, '.mailbeacon'));
      await writeFile(join(directory, '.mailbeacon', 'demo-organization.json'), remains);
      expect(await readDemoOrganization(directory)).toBeUndefined();
    });
  });
});

it('a lock is complete whenever it is read', async () => {
  await inTemporaryDirectory(async (directory) => {
    const services = await startEmbeddedServices({ postgres: false, redis: false, inbox: false }, directory);
    let isDone = false;
    const recording = (async () => {
      for (let n = 0; n < 300; n++) await services.recordAddress(`http://localhost:${n}`);
      isDone = true;
    })();
    while (!isDone) JSON.parse(await readFile(join(directory, '.mailbeacon', 'lock'), 'utf8'));
    await recording;
    await services.stop();
  });
});
