import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { generateEmailTrackingId } from '../../dist/links/email-tracking-id.js';
import { loadSigningKeys } from '../../dist/links/signing-key-store.js';
import { EVENT_STREAM } from '../../dist/events/stream/stream-keys.js';
import { requestPaths } from '../framework/http-load.mjs';

/** Measures how far one flusher falls behind two edges under as much load as they can serve. */
export async function keepsUp(services, backend, seconds) {
  const single = { EVENTS_PER_EMAIL_PER_MINUTE: '65535' };
  const edges = [await services.ours('tracking', backend, single), await services.ours('tracking', backend, single)];
  const flusher = await services.ours('flusher', backend);
  const redis = new Redis(backend.REDIS_URL);
  const paths = await pixelsOfKnownEmails(services, backend);
  const load = { paths, seconds, connections: 32, directory: services.directory };
  let done = false;
  const loads = Promise.all(edges.map(({ address }) => requestPaths({ ...load, address }))).finally(
    () => (done = true),
  );
  let worstSeconds = 0;
  while (!done) {
    worstSeconds = Math.max(worstSeconds, await oldestSeconds(redis));
    await setTimeout(100);
  }
  const outcomes = await loads;
  const endedAt = performance.now();
  while ((await redis.xlen(EVENT_STREAM)) > 0) await setTimeout(20);
  const drainSeconds = (performance.now() - endedAt) / 1000;
  redis.disconnect();
  for (const { program } of [...edges, flusher]) await program.stop();
  const perSecond = outcomes.reduce((sum, outcome) => sum + outcome.units / outcome.seconds, 0);
  return { perSecond, worstSeconds, drainSeconds };
}

async function pixelsOfKnownEmails(services, backend) {
  return services.withDatabase(backend, async (database) => {
    const keys = await loadSigningKeys(database);
    const emails = await database.query('select id from emails');
    const ids = emails.map(() => generateEmailTrackingId(keys, randomBytes(12)));
    await database.query(
      'update emails e set tracking_id = n.tracking_id from unnest($1::uuid[], $2::text[]) n (id, tracking_id) where e.id = n.id',
      [emails.map(({ id }) => id), ids],
    );
    return ids.map((id) => `/api/t/o/${id}`);
  });
}

async function oldestSeconds(redis) {
  const [[oldest], [seconds, micros]] = await Promise.all([
    redis.xrange(EVENT_STREAM, '-', '+', 'COUNT', 1),
    redis.time(),
  ]);
  return oldest === undefined ? 0 : Number(seconds) + Number(micros) / 1e6 - Number(oldest[0].split('-')[0]) / 1000;
}
