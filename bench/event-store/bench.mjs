import console from 'node:console';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { packEvents, recordLength } from '../../dist/events/stream/codec/event-codec.js';
import { ENTRY_FIELD, EVENT_STREAM } from '../../dist/events/stream/stream-keys.js';
import { between, ProcessorTimes } from '../framework/processor-time.mjs';
import { environment } from '../framework/report.mjs';
import { ratio, summary, takeTurns } from '../framework/rounds.mjs';
import { Services } from '../framework/services.mjs';
import { Engine } from './engine.mjs';
import { eventsOf, storeMail } from './mail.mjs';

// npm run bench -- event-store [--quick]: what an event costs with and without an event store, in turn: processor
// time, bytes, and the cost of copying to a store that is enabled later. Downloads the engine of ClickHouse once.
const QUICK = process.argv.includes('--quick');
const EMAILS_PER_ROUND = QUICK ? 6_000 : 20_000;
const ROUNDS = QUICK ? { rounds: 1, mostRounds: 1 } : { rounds: 3, mostRounds: 4 };
const WARM_UPS = 1;
const IDLE_MS = 10_000;
const EVENTS_PER_ENTRY = 50;
const [OFF, ON] = ['without', 'with a store'];
const PROCESSES = ['program', 'redis', 'postgres', 'engine'];

const services = await Services.start();
try {
  console.log(environment());
  const engine = await Engine.start(services);
  const off = await flusher({});
  const on = await flusher({ EVENT_STORE_URL: engine.url });
  const contestants = [contestant(OFF, off, engine), contestant(ON, on, engine)];
  for (const { work } of contestants) for (let round = 0; round < WARM_UPS; round++) await work();
  report(await takeTurns(contestants, ROUNDS));
  await mustHave(engine, on.given());
  await reportIdle(engine);
  await reportMerge(engine, on.given());
  await reportSizes(engine, on);
  await off.program.stop();
  await reportCopy(engine, off, on.given());
} finally {
  await services.close();
}

/** A flusher that is held while the stream is filled, so that filling is not measured. */
async function flusher(settings) {
  const backend = await services.migratedBackend();
  const rounds = WARM_UPS + ROUNDS.mostRounds;
  const emails = await services.withDatabase(backend, (database) => storeMail(database, rounds * EMAILS_PER_ROUND));
  const { program, pid } = await services.ours('flusher', backend, settings);
  const redis = new Redis(backend.REDIS_URL);
  services.closeFirst(async () => redis.disconnect());
  let given = 0;
  const store = async () => {
    process.kill(pid, 'SIGSTOP');
    const events = eventsOf(emails.splice(0, EMAILS_PER_ROUND));
    await fill(redis, events);
    given += events.length;
    const startedAt = performance.now();
    process.kill(pid, 'SIGCONT');
    while ((await redis.xlen(EVENT_STREAM)) > 0) await setTimeout(5);
    return { units: events.length, seconds: (performance.now() - startedAt) / 1000 };
  };
  return { program, pid, backend, store, given: () => given };
}

function contestant(name, { pid, store }, engine) {
  const pids = { program: pid, redis: services.redis.pid, postgres: services.postgres.pid, engine: engine.pid };
  return { name, pids, work: store };
}

async function fill(redis, events) {
  for (let at = 0; at < events.length; at += EVENTS_PER_ENTRY) {
    const entry = events.slice(at, at + EVENTS_PER_ENTRY);
    const bytes = entry.reduce((sum, event) => sum + recordLength(event), 0);
    await redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, packEvents(entry, bytes));
  }
}

function report(samples) {
  console.log(`\n${EMAILS_PER_ROUND} emails a round, of which each makes 1.7 events\n`);
  console.log('| processor time, µs per event | without | with a store | ratio | least to most |');
  console.log('| --- | --- | --- | --- | --- |');
  for (const name of PROCESSES) line(name, samples, ({ cpuUs }) => cpuUs[name]);
  line('all', samples, ({ cpuUs }) => PROCESSES.reduce((sum, name) => sum + cpuUs[name], 0));
  line('events/s', samples, ({ perSecond }) => perSecond);
  line('foreign cores', samples, ({ foreign }) => foreign);
}

function line(name, samples, read) {
  const [without, beside] = [OFF, ON].map((which) => summary(samples[which], read).median.toFixed(1));
  const grown = ratio(samples[ON], samples[OFF], read);
  const [middle, least, most] = [grown.median, grown.least, grown.most].map((value) => `${value.toFixed(2)}×`);
  console.log(`| ${name} | ${without} | ${beside} | ${middle} | ${least} to ${most} |`);
}

/** @throws if the store does not have every event */
async function mustHave(engine, events) {
  const found = await engine.events();
  if (found !== events) throw new Error(`${events} events given, ${found} in the store`);
}

/** The idle engine's processor time is part of the time in each round. */
async function reportIdle(engine) {
  const begun = new ProcessorTimes();
  await setTimeout(IDLE_MS);
  const { spent, elapsedUs } = between(begun, new ProcessorTimes(), { engine: engine.pid });
  console.log(`\nThe engine alone: ${((spent.engine / elapsedUs) * 1000).toFixed(0)} ms of processor time a second`);
}

async function reportMerge(engine, events) {
  const before = await engine.size();
  const begun = new ProcessorTimes();
  await engine.merge();
  const { spent } = between(begun, new ProcessorTimes(), { engine: engine.pid });
  console.log(`\nA merge of all ${before.parts} parts: ${(spent.engine / events).toFixed(1)} µs per event`);
}

async function reportSizes(engine, { backend, given }) {
  const { bytes, rows, parts } = await engine.size();
  console.log(`ClickHouse: ${(bytes / rows).toFixed(1)} bytes per event, ${rows} rows in ${parts} part(s)`);
  const [row] = await services.withDatabase(backend, (database) =>
    database.query(`select sum(pg_table_size(relid))::float8 as "table", sum(pg_indexes_size(relid))::float8 as indexes
      from pg_partition_tree('events') where isleaf`),
  );
  const [table, indexes] = [row.table, row.indexes].map((size) => (size / given()).toFixed(0));
  console.log(`Postgres: ${table} bytes of table and ${indexes} of indexes per event`);
}

/** Enables the store for a database that already has events. */
async function reportCopy(engine, { backend, given }, before) {
  const { program, pid } = await services.ours('flusher', backend, { EVENT_STORE_URL: engine.url });
  const pids = { program: pid, redis: services.redis.pid, postgres: services.postgres.pid, engine: engine.pid };
  const [begun, startedAt] = [new ProcessorTimes(), performance.now()];
  while ((await engine.events()) < before + given()) await setTimeout(200);
  const seconds = (performance.now() - startedAt) / 1000;
  const { spent } = between(begun, new ProcessorTimes(), pids);
  await program.stop();
  const costs = PROCESSES.map((name) => `${name} ${(spent[name] / given()).toFixed(1)} µs`).join(', ');
  console.log(`Copying from Postgres: ${(given() / seconds).toFixed(0)} events/s, per event ${costs}`);
}
