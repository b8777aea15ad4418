import { generateKeyPairSync } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Agent } from 'undici';
import { generateEmailTrackingId } from '../../dist/links/email-tracking-id.js';
import { loadSigningKeys } from '../../dist/links/signing-key-store.js';
import { measuredOnce, ratio, slice, summary, takeTurns } from '../framework/rounds.mjs';
import { EventFeed, sign } from './event-feed.mjs';
import { storeMailToReportOn } from './reported-mail.mjs';
import { open, sustain } from './sustain.mjs';

const REPORTS = 'provider events';
const OPENS = 'opens';
const GENUINE = 'genuine calls';
const FORGED = 'forged calls';
const UNSIGNED = 'calls without a signature';
const EVENTS_PER_CALL = 500;
const CONNECTIONS = 32;
const INSERTED_ROWS = `
select coalesce(sum(n_tup_ins), 0)::int as rows from pg_stat_user_tables
 where relname like 'events\\_%' or relname like 'delivery\\_events\\_%'`;

/** @param {{ services: import('../framework/services.mjs').Services, quick: boolean }} bench */
export async function run({ services, quick }) {
  const bench = await prepare(services);
  const units = quick ? 5_000 : 10_000;
  const contestants = await contestantsOf(bench, units, quick ? 2_000 : 10_000);
  for (const { work } of contestants.slice(0, 2)) await work();
  const samples = await takeTurns(contestants.slice(0, 3), { rounds: quick ? 1 : 3, mostRounds: quick ? 1 : 3 });
  const load = { ...bench, seconds: quick ? 5 : 20 };
  const sustained = await sustain(load);
  const [forged, unsigned] = [await slice(contestants[3]), await slice(contestants[4])];
  await mustBeStored(services, bench);
  Object.assign(samples, { [FORGED]: [forged], [UNSIGNED]: [unsigned] });
  const genuine = summary(samples[GENUINE], apiUs).median;
  return {
    title: 'Reports of providers',
    samples,
    tables: [table(samples)],
    figures: [
      { name: 'CPU of a provider event against an open', ...ratio(samples[REPORTS], samples[OPENS], cpuUs), atMost: 2 },
      { name: 'Provider events/s beside opens', ...measuredOnce(sustained.perSecond), atLeast: 5_000, unit: '' },
      { name: 'The oldest event waits', ...measuredOnce(sustained.worstSeconds), atMost: 5, unit: ' s' },
      { name: 'API CPU of a forged call against a genuine one', ...measuredOnce(apiUs(forged) / genuine), atMost: 0.1 },
      {
        name: 'API CPU of an unsigned call against a genuine one',
        ...measuredOnce(apiUs(unsigned) / genuine),
        atMost: 0.1,
      },
    ],
    notes: [
      `${sustained.events} provider events and ${sustained.opens} opens in ${load.seconds} s, ${bench.feed.repeatedCalls} calls repeated; all stored ${sustained.drainSeconds.toFixed(1)} s after the last.`,
      `${forged.units} forged calls of ${EVENTS_PER_CALL} events and as many without a signature, all refused with 401.`,
    ],
  };
}

async function prepare(services) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const SENDGRID_EVENT_PUBLIC_KEY = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const backend = await services.migratedBackend();
  const api = await services.ours('api', backend, { SENDGRID_EVENT_PUBLIC_KEY });
  const edge = await services.ours('tracking', backend, { EVENTS_PER_EMAIL_PER_MINUTE: '65535' });
  const flusher = await services.ours('flusher', backend);
  const emails = await services.withDatabase(backend, async (database) => {
    const keys = await loadSigningKeys(database);
    return storeMailToReportOn(database, (bytes) => generateEmailTrackingId(keys, bytes));
  });
  const redis = new Redis(backend.REDIS_URL);
  const agent = new Agent({ connections: CONNECTIONS });
  services.closeFirst(async () => redis.disconnect());
  services.closeFirst(() => agent.close());
  const feed = new EventFeed(agent, api.address, privateKey, emails);
  const stores = { redis: services.redis.pid, postgres: services.postgres.pid };
  const pids = { api: api.pid, edge: edge.pid, flusher: flusher.pid, ...stores };
  const given = { opens: 0 };
  // The stream alone is not enough: events that Redis did not accept in time wait in a spool.
  const stored = () =>
    services.withDatabase(backend, async (database) => {
      const rows = async () => (await database.query(INSERTED_ROWS))[0].rows;
      while ((await rows()) < feed.posted + given.opens) await setTimeout(100);
    });
  // Statistics of an idle session arrive up to ten seconds late, so the end of a load is counted row by row.
  const drained = () =>
    services.withDatabase(backend, async (database) => {
      const rows = async () => (await database.query('select count(*)::int as rows from delivery_events'))[0].rows;
      while ((await rows()) < feed.posted) await setTimeout(20);
    });
  return { backend, emails, edge, redis, agent, feed, given, pids, stored, drained };
}

async function contestantsOf({ agent, edge, emails, feed, given, pids, stored }, units, forgedCalls) {
  const body = feed.body(EVENTS_PER_CALL);
  const foreign = sign(body, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const unsigned = { 'content-type': 'application/json' };
  const refused = (headers) => async () => {
    const one = async () => {
      const status = await feed.call(body, headers);
      if (status !== 401) throw new Error(`A forged call got ${status}`);
    };
    await inLanes(forgedCalls, one);
    return { units: forgedCalls };
  };
  const calls = units / EVENTS_PER_CALL;
  const report = async () => {
    await inLanes(calls, () => feed.post(EVENTS_PER_CALL));
    await stored();
  };
  const read = async () => {
    given.opens += units;
    await inLanes(units, (number) => open(agent, edge, emails, number));
    await stored();
  };
  return [
    { name: REPORTS, pids, work: () => report().then(() => ({ units })) },
    { name: OPENS, pids, work: () => read().then(() => ({ units })) },
    { name: GENUINE, pids, work: () => report().then(() => ({ units: calls })) },
    { name: FORGED, pids, work: refused(foreign) },
    { name: UNSIGNED, pids, work: refused(unsigned) },
  ];
}

async function inLanes(count, work) {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
}

async function mustBeStored(services, { backend, feed }) {
  const [row] = await services.withDatabase(backend, (database) =>
    database.query('select count(*)::int as stored from delivery_events'),
  );
  if (row.stored !== feed.posted) throw new Error(`${feed.posted} posted, ${row.stored} stored`);
}

function table(samples) {
  const processes = ['api', 'edge', 'flusher', 'redis', 'postgres'];
  return {
    header: ['µs of CPU each', 'sum', ...processes, 'foreign cores'],
    rows: Object.entries(samples).map(([name, rounds]) => {
      const median = (read) => summary(rounds, read).median;
      const each = processes.map((process) => median((sample) => sample.cpuUs[process]).toFixed(1));
      return [name, median(cpuUs).toFixed(1), ...each, median(({ foreign }) => foreign).toFixed(2)];
    }),
  };
}

function cpuUs(sample) {
  return Object.values(sample.cpuUs).reduce((sum, us) => sum + us, 0);
}

function apiUs({ cpuUs: { api } }) {
  return api;
}
