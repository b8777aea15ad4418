import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { fetch } from 'undici';
import { packEvents, recordLength } from '../../dist/events/stream/codec/event-codec.js';
import { ENTRY_FIELD, EVENT_STREAM } from '../../dist/events/stream/stream-keys.js';
import { residentBytes } from '../framework/processor-time.mjs';
import { freePort } from '../framework/programs.mjs';
import { measuredOnce, ratio, summary, takeTurns } from '../framework/rounds.mjs';
import { keepsUp } from './keeps-up.mjs';
import { engagement, storeSentMail } from './sent-mail.mjs';

const EVENTS_PER_ENTRY = 50;
const OURS = 'flusher';
const BARE = 'bare COPY and counters by hand';
const ONE_BY_ONE = 'a transaction per event';
/** The factor by which its events are fewer, because it is that much slower. */
const FEWER = 20;

export async function run({ services, quick, long }) {
  const events = quick ? 20_000 : 50_000;
  const ours = await flusher(services, await services.migratedBackend());
  const bare = await byHand(services, 'bare-copy');
  const oneByOne = await byHand(services, 'one-by-one');
  const contestants = [
    contestant(services, OURS, ours, events),
    contestant(services, BARE, bare, events),
    contestant(services, ONE_BY_ONE, oneByOne, events / FEWER),
  ];
  for (const { work } of contestants) await work();
  const samples = await takeTurns(contestants, quick ? { rounds: 1, mostRounds: 2 } : { rounds: 3, mostRounds: 4 });
  const memory = await memoryOverTime(ours, long ? 10_000_000 : quick ? 100_000 : 500_000);
  await ours.mustHaveAll();
  for (const { program } of [ours, bare, oneByOne]) await program.stop();
  const lag = await keepsUp(services, ours.backend, quick ? 3 : 10);
  return {
    title: 'From the stream to Postgres',
    samples,
    tables: [table(samples)],
    figures: figures(samples, memory, lag),
    notes: [
      `${memory.events.toLocaleString('en')} events, with the flusher at most at ${memory.peaks.map((peak) => peak.toFixed(0)).join(', ')} MB in each tenth of them.`,
      `Two edges, one flusher: ${lag.perSecond.toFixed(0)} events/s taken, the oldest waiting at most ${lag.worstSeconds.toFixed(1)} s, all stored ${lag.drainSeconds.toFixed(1)} s after the last.`,
    ],
  };
}

export function contestant(services, name, { pid, store }, events) {
  const pids = { program: pid, redis: services.redis.pid, postgres: services.postgres.pid };
  return { name, pids, work: () => store(events) };
}

/** Our flusher, which is stopped while the stream is filled, so that filling is not measured. */
export async function flusher(services, backend) {
  const mail = await services.withDatabase(backend, storeSentMail);
  const { program, pid } = await services.ours('flusher', backend);
  const redis = new Redis(backend.REDIS_URL);
  services.closeFirst(async () => redis.disconnect());
  let given = 0;
  const store = async (count) => {
    process.kill(pid, 'SIGSTOP');
    await fill(redis, engagement(mail, count));
    given += count;
    const startedAt = performance.now();
    process.kill(pid, 'SIGCONT');
    while ((await redis.xlen(EVENT_STREAM)) > 0) await setTimeout(5);
    return { units: count, seconds: (performance.now() - startedAt) / 1000 };
  };
  const mustHaveAll = async () => {
    const [row] = await services.withDatabase(backend, (database) =>
      database.query(
        'select (select count(*)::int from events) stored, (select sum(opens + clicks)::int from emails) counted',
      ),
    );
    if (row.stored !== given || row.counted !== given) throw new Error(`${given} given, ${JSON.stringify(row)}`);
  };
  return { program, pid, backend, store, mustHaveAll };
}

async function fill(redis, events) {
  let pipeline = redis.pipeline();
  for (let at = 0; at < events.length; at += EVENTS_PER_ENTRY) {
    const entry = events.slice(at, at + EVENTS_PER_ENTRY);
    const bytes = entry.reduce((sum, event) => sum + recordLength(event), 0);
    pipeline.xadd(EVENT_STREAM, '*', ENTRY_FIELD, packEvents(entry, bytes));
    if (pipeline.length === 200) {
      await pipeline.exec();
      pipeline = redis.pipeline();
    }
  }
  await pipeline.exec();
}

/** @param script stores events that it generates itself */
async function byHand(services, script) {
  const backend = await services.migratedBackend();
  const PORT = String(await freePort());
  const program = services.run([`bench/flush/${script}.mjs`], { ...backend, PORT });
  const address = `http://127.0.0.1:${PORT}`;
  await program.responds(`${address}/1`);
  const store = async (count) => {
    const response = await fetch(`${address}/${count}`);
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return { units: count, seconds: Number(text) };
  };
  return { program, pid: program.pid, store };
}

/** The peak memory of the flusher in each tenth of the events, because it varies between garbage collections. */
async function memoryOverTime({ pid, store }, events) {
  const peaks = [];
  for (let tenth = 0; tenth < 10; tenth++) {
    let peak = 0;
    const watch = setInterval(() => (peak = Math.max(peak, residentBytes(pid) / 2 ** 20)), 100);
    for (let left = events / 10; left > 0; left -= 100_000) await store(Math.min(left, 100_000));
    clearInterval(watch);
    peaks.push(peak);
  }
  return { events, peaks, first: peaks[0], last: peaks.at(-1) };
}

function table(samples) {
  return {
    header: ['', 'events/s', 'least', 'most', 'program µs', 'Redis µs', 'Postgres µs', 'foreign cores'],
    rows: Object.entries(samples).map(([name, rounds]) => {
      const speed = summary(rounds, ({ perSecond }) => perSecond);
      const cpu = ['program', 'redis', 'postgres'].map((process) =>
        summary(rounds, ({ cpuUs }) => cpuUs[process]).median.toFixed(1),
      );
      const foreign = summary(rounds, (sample) => sample.foreign).median.toFixed(2);
      return [name, ...[speed.median, speed.least, speed.most].map((value) => value.toFixed(0)), ...cpu, foreign];
    }),
  };
}

function figures(samples, memory, lag) {
  return [
    {
      name: 'Events/s against a bare COPY',
      ...ratio(samples[OURS], samples[BARE], (sample) => sample.perSecond),
      atLeast: 0.8,
    },
    {
      name: 'Events/s against a transaction per event',
      ...ratio(samples[OURS], samples[ONE_BY_ONE], (sample) => sample.perSecond),
    },
    { name: 'Memory in the last tenth against the first', ...measuredOnce(memory.last / memory.first), atMost: 1.15 },
    { name: 'Two saturated edges: the oldest event waits', ...measuredOnce(lag.worstSeconds), atMost: 5, unit: ' s' },
  ];
}
