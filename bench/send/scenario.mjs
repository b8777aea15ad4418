import { freePort } from '../framework/programs.mjs';
import { post } from '../framework/http-load.mjs';
import { measuredOnce, ratio, slice, summary, takeTurns } from '../framework/rounds.mjs';
import { writesOf } from '../framework/system-calls.mjs';
import { newsletter } from './newsletter.mjs';

const CONNECTIONS = 64;
const OURS = 'ours';
const MINIMAL = 'hand-written minimum';
const BARE = 'BullMQ and cheerio, no database';
/** Load for each contestant before it is measured: V8 still optimizes during the first 4,000 emails or so. */
const WARM_UP_SECONDS = 24;
/**
 * Load before each slice. If a host reclaims memory from idle guests, a program is slower for some seconds after the
 * others ran: 121 emails a second in the first four seconds, 197 in the next, then 246.
 */
export const LEAD_IN_SECONDS = 8;
const PROVIDER_DELAYS_MS = [0, 50];

/**
 * Compares one API and one worker with the minimum that gives the same guarantees, with the simplest implementation,
 * which gives none, and with more workers of our own.
 */
export async function run({ services, quick }) {
  const samples = {};
  for (const delayMs of PROVIDER_DELAYS_MS) {
    const provider = await providerStub(services, delayMs);
    const backend = await services.migratedBackend();
    const pairs = [
      await ours(services, provider, backend),
      await byHand(services, provider, MINIMAL, 'minimal'),
      await byHand(services, provider, BARE, 'bare'),
    ];
    const seconds = quick ? 3 : 6;
    const warmUp = quick ? 6 : WARM_UP_SECONDS;
    const rounds = quick ? { rounds: 1, mostRounds: 1 } : { rounds: 3, mostRounds: 4 };
    for (const [load, connections] of [
      ['busy', CONNECTIONS],
      ['light', 1],
    ]) {
      const contestants = pairs.map((one) =>
        contestant(services, one, provider, seconds, connections, LEAD_IN_SECONDS),
      );
      if (load === 'busy') for (const { work } of contestants) await repeat(work, warmUp / seconds);
      const taken = await takeTurns(contestants, rounds);
      for (const [name, rows] of Object.entries(taken)) samples[`${name}, ${delayMs} ms, ${load}`] = rows;
    }
    if (delayMs > 0) samples.scaling = await scaling(services, provider, quick ? 2 : 5);
    for (const { stop } of [...pairs, provider]) await stop();
  }
  const { scaling: scaled, ...compared } = samples;
  const all = [...figures(compared), scalingFigure(scaled)];
  return { title: 'Sending', samples, tables: [table(compared)], figures: all, notes: [noteOf(scaled)] };
}

async function repeat(work, times) {
  for (let time = 0; time < times; time++) await work();
}

export async function providerStub(services, delayMs) {
  const PORT = String(await freePort());
  const program = services.run(['bench/send/provider-stub.mjs'], { PORT, DELAY_MS: String(delayMs) });
  await program.responds(`http://127.0.0.1:${PORT}/`);
  return { pid: program.pid, address: `http://127.0.0.1:${PORT}`, stop: () => program.stop() };
}

export async function ours(services, provider, backend, environment = {}) {
  const { apiKey } = await services.cli(backend, 'org', 'create', '--name', 'Bench', '--plan', 'unlimited');
  const account = { SENDGRID_API_KEY: 'SG.bench', SENDGRID_API_URL: provider.address };
  const sending = { DELIVERY_PROVIDER: 'sendgrid', ...account, ...environment };
  const api = await services.ours('api', backend, sending);
  const worker = () => services.ours('worker', backend, sending);
  const programs = [api, await worker()];
  const stop = async () => {
    for (const { program } of programs) await program.stop();
  };
  const addWorker = async () => void programs.push(await worker());
  return { name: OURS, backend, address: `${api.address}/api/send`, apiKey, programs, addWorker, stop };
}

/** @param program the prefix of the names of its two files */
export async function byHand(services, provider, name, program) {
  const backend = await services.newBackend();
  const PORT = String(await freePort());
  const api = services.run([`bench/send/${program}-api.mjs`], { ...backend, PORT });
  await api.responds(`http://127.0.0.1:${PORT}/`);
  const worker = services.run([`bench/send/${program}-worker.mjs`], { ...backend, SENDGRID_API_URL: provider.address });
  await worker.prints(/ready/);
  const stop = () => Promise.all([api.stop(), worker.stop()]);
  return { name, backend, address: `http://127.0.0.1:${PORT}/`, programs: [api, worker], stop };
}

export function contestant(services, pair, provider, seconds, connections, leadInSeconds = 0) {
  const { name, backend, address, apiKey, programs } = pair;
  const [api, worker] = programs;
  const stores = { redis: services.redis.pid, postgres: services.postgres.pid };
  const load = { address, apiKey, body: email(), seconds, connections, directory: services.directory };
  const counts = async () => ({
    commits: await commits(services, backend),
    apiWrites: writesOf(api.pid),
    workerWrites: writesOf(worker.pid),
  });
  const work = async () => {
    const before = await counts();
    const outcome = await post(load);
    const after = await counts();
    const perEmail = Object.keys(before).map((name) => [name, (after[name] - before[name]) / outcome.units]);
    return { ...outcome, ...Object.fromEntries(perEmail) };
  };
  const leadIn = async () => {
    if (leadInSeconds > 0) await post({ ...load, seconds: leadInSeconds });
  };
  return { name, pids: { api: api.pid, worker: worker.pid, provider: provider.pid, ...stores }, work, leadIn };
}

function email() {
  return JSON.stringify({
    from: 'news@harbour.test',
    to: 'reader-{{turn}}@example.com',
    subject: 'News',
    htmlContent: newsletter(),
  });
}

/** Commits as counted by the server; its processes report at most a second late. */
async function commits(services, { DATABASE_URL }) {
  const sql = 'select xact_commit::int as commits from pg_stat_database where datname = current_database()';
  return services.asClient(DATABASE_URL, async (client) => (await client.query(sql)).rows[0].commits);
}

/**
 * Emails per second with 1, 2 and 4 workers with one email each. They wait for the provider longer than they compute,
 * so that all of them fit on the cores that they share with the other processes.
 */
async function scaling(services, provider, seconds) {
  const pair = await ours(services, provider, await services.migratedBackend(), { WORKER_CONCURRENCY: '1' });
  const load = contestant(services, pair, provider, seconds, 16);
  const speeds = {};
  for (const workers of [1, 2, 4]) {
    while (pair.programs.length - 1 < workers) await pair.addWorker();
    await load.work();
    speeds[workers] = (await slice(load)).perSecond;
  }
  await pair.stop();
  return speeds;
}

function table(samples) {
  const median = (rounds, read) => summary(rounds, read).median;
  return {
    header: [
      ...['', 'emails/s', 'p50 ms', 'p99 ms', 'API µs', 'worker µs', 'Redis µs', 'Postgres µs'],
      ...['commits per email', 'API writes', 'worker writes'],
    ],
    rows: Object.entries(samples).map(([name, rounds]) => [
      name,
      median(rounds, ({ perSecond }) => perSecond).toFixed(0),
      ...['p50', 'p99'].map((quantile) => median(rounds, (sample) => sample[quantile]).toFixed(1)),
      ...['api', 'worker', 'redis', 'postgres'].map((process) =>
        median(rounds, ({ cpuUs }) => cpuUs[process]).toFixed(0),
      ),
      ...['commits', 'apiWrites', 'workerWrites'].map((count) => median(rounds, (sample) => sample[count]).toFixed(2)),
    ]),
  };
}

function figures(samples) {
  return PROVIDER_DELAYS_MS.flatMap((delayMs) => {
    const samplesOf = (name, load) => samples[`${name}, ${delayMs} ms, ${load}`];
    const of = (load, read, other = MINIMAL) => ratio(samplesOf(OURS, load), samplesOf(other, load), read);
    return [
      {
        name: `Emails/s against the minimum, provider ${delayMs} ms`,
        ...of('busy', ({ perSecond }) => perSecond),
        atLeast: 0.8,
      },
      { name: `CPU of all processes per email, provider ${delayMs} ms`, ...of('busy', totalCpu) },
      {
        name: `Emails/s against BullMQ and cheerio without a database, provider ${delayMs} ms`,
        ...of('busy', ({ perSecond }) => perSecond, BARE),
      },
      {
        name: `p50 at light load against the minimum, provider ${delayMs} ms`,
        ...of('light', ({ p50 }) => p50),
        atMost: 1.3,
      },
    ];
  });
}

export function totalCpu({ cpuUs: { api, worker, redis, postgres } }) {
  return api + worker + redis + postgres;
}

function scalingFigure(speeds) {
  const value = speeds[4] / (4 * speeds[1]);
  return { name: 'Emails/s of 4 workers against 4 times one', ...measuredOnce(value), atLeast: 0.9 };
}

function noteOf(speeds) {
  const list = Object.entries(speeds).map(([workers, speed]) => `${speed.toFixed(0)}/s with ${workers}`);
  return `Workers that hold one email at a time, provider 50 ms: ${list.join(', ')}.`;
}
