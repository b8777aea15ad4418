import { randomBytes } from 'node:crypto';
import console from 'node:console';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { URL } from 'node:url';
import { Redis } from 'ioredis';
import { generateEmailTrackingId } from '../../dist/links/email-tracking-id.js';
import { loadSigningKeys } from '../../dist/links/signing-key-store.js';
import { requestPaths } from '../framework/http-load.mjs';
import { summaryOf, Probes } from './probes.mjs';

const EMAILS = 5_000;
const REFUSED_SECONDS = 15;
const TIMEOUT_MS = 300_000;

/** Fills the spool while Redis refuses writes. Measures hits before that, during that and during the replay. */
export async function replaySpool(services) {
  const backend = await services.migratedBackend();
  const keys = await services.withDatabase(backend, loadSigningKeys);
  const paths = Array.from({ length: EMAILS }, () => `/api/t/o/${generateEmailTrackingId(keys, randomBytes(12))}`);
  const { address } = await services.ours('tracking,flusher', backend);
  const redis = new Redis(backend.REDIS_URL);
  const probe = async (work) => {
    const probes = new Probes({ address, paths });
    await work();
    return probes.end();
  };
  const before = await probe(() => setTimeout(5_000));
  await redis.config('SET', 'maxmemory', '1mb');
  const flood = await requestPaths({
    address,
    paths,
    seconds: REFUSED_SECONDS,
    connections: 64,
    directory: services.directory,
  });
  const refused = await probe(() => setTimeout(5_000));
  await redis.config('SET', 'maxmemory', '0');
  const startedAt = performance.now();
  const during = await probe(async () => {
    while ((await spooledBytes(address, services)) > 0) {
      if (performance.now() - startedAt > TIMEOUT_MS) throw new Error('The spool did not become empty');
      await setTimeout(100);
    }
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  redis.disconnect();
  console.log(`hits before: ${summaryOf(before)}`);
  console.log(`${flood.units} hits in ${REFUSED_SECONDS} s while Redis refuses writes, then: ${summaryOf(refused)}`);
  console.log(`during the replay of ${seconds.toFixed(1)} s: ${summaryOf(during)}`);
}

async function spooledBytes(address, services) {
  const folder = join(services.directory, `spool-${new URL(address).port}`);
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = names.map((name) =>
    stat(join(folder, name)).then(
      (file) => (file.isFile() ? file.size : 0),
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
