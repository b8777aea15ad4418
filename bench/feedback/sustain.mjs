import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import { EVENT_STREAM } from '../../dist/events/stream/stream-keys.js';

/** A little more than required, because a load that ends with a tick is a little below its rate. */
const EVENTS_PER_SECOND = 5_250;
const OPENS_PER_SECOND = 200;
const EVENTS_PER_CALL = 500;
/** Limit of calls and opens without a response yet: with more, the load would pile up. */
const MOST_UNDER_WAY = 16;
const TICK_MS = 100;

/** Sends provider events at a fixed rate beside opens. Resolves with the achieved rate and the longest wait. */
export async function sustain({ feed, given, agent, edge, emails, redis, drained, seconds }) {
  const begun = performance.now();
  const inProgress = new Set();
  const start = (work) => {
    inProgress.add(work);
    void work.finally(() => inProgress.delete(work)).catch(() => undefined);
  };
  let [events, opens, worstSeconds] = [0, 0, 0];
  for (let elapsed = 0; elapsed < seconds; elapsed = (performance.now() - begun) / 1000) {
    for (; events < elapsed * EVENTS_PER_SECOND && inProgress.size < MOST_UNDER_WAY; events += EVENTS_PER_CALL)
      start(feed.post(EVENTS_PER_CALL));
    for (; opens < elapsed * OPENS_PER_SECOND && inProgress.size < MOST_UNDER_WAY; opens++)
      start(open(agent, edge, emails, opens));
    worstSeconds = Math.max(worstSeconds, await oldestSeconds(redis));
    await setTimeout(TICK_MS);
  }
  await Promise.all(inProgress);
  given.opens += opens;
  const endedAt = performance.now();
  await drained();
  const drainSeconds = (performance.now() - endedAt) / 1000;
  return { perSecond: events / ((performance.now() - begun) / 1000), events, opens, worstSeconds, drainSeconds };
}

export async function open(agent, { address }, emails, number) {
  const { trackingId } = emails[number % emails.length];
  const response = await request(`${address}/api/t/o/${trackingId}`, { dispatcher: agent });
  await response.body.dump();
  if (response.statusCode !== 200) throw new Error(`An open got ${response.statusCode}`);
}

async function oldestSeconds(redis) {
  const [[oldest], [seconds]] = await Promise.all([redis.xrange(EVENT_STREAM, '-', '+', 'COUNT', 1), redis.time()]);
  return oldest === undefined ? 0 : Math.max(0, Number(seconds) - Number(oldest[0].split('-')[0]) / 1000);
}
