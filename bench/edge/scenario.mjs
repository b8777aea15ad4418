import { randomBytes } from 'node:crypto';
import { generateEmailTrackingId } from '../../dist/links/email-tracking-id.js';
import { signLink } from '../../dist/links/link-token.js';
import { loadSigningKeys } from '../../dist/links/signing-key-store.js';
import { requestPaths } from '../framework/http-load.mjs';
import { freePort } from '../framework/programs.mjs';
import { ratio, summary, takeTurns } from '../framework/rounds.mjs';

/** So many that no pixel or link gets more hits than the edge counts. */
const EMAILS = 5_000;
const CONNECTIONS = 64;
const DESTINATION = 'https://www.harbour.test/stories/12?utm_source=newsletter&utm_medium=email&utm_content=12';

const OPENS = 'opens: ours';
const CLICKS = 'clicks: ours';
const BARE_OPENS = 'opens: bare node:http, stores nothing';
const BARE_CLICKS = 'clicks: bare node:http, stores nothing';
const PLAIN_OPENS = 'opens: Nest on Express, one INSERT each';

/** @param {{ services: import('../framework/services.mjs').Services, quick: boolean }} bench */
export async function run({ services, quick }) {
  const contestants = await prepare(services, quick ? 1 : 3);
  for (const { work } of contestants) await work();
  const samples = await takeTurns(contestants, quick ? { rounds: 1, mostRounds: 2 } : { rounds: 5, mostRounds: 8 });
  return { title: 'Opens and clicks at the edge', samples, tables: [table(samples)], figures: figures(samples) };
}

async function prepare(services, seconds) {
  const backend = await services.migratedBackend();
  const paths = await tokens(services, backend);
  const ours = await services.ours('tracking', backend, { EVENTS_PER_EMAIL_PER_MINUTE: '65535' });
  const bare = await otherServer(services, 'bare-server.mjs', { LOCATION: DESTINATION });
  const plain = await otherServer(services, 'plain-controller.mjs', await services.newBackend());
  const stores = { redis: services.redis.pid, postgres: services.postgres.pid };
  const contestant = (name, server, paths, others) => ({
    name,
    pids: { server: server.pid, ...others },
    work: () => requestPaths({ ...server, paths, seconds, connections: CONNECTIONS, directory: services.directory }),
  });
  return [
    contestant(OPENS, ours, paths.opens, stores),
    contestant(BARE_OPENS, bare, paths.opens, {}),
    contestant(CLICKS, ours, paths.clicks, stores),
    contestant(BARE_CLICKS, bare, paths.clicks, {}),
    contestant(PLAIN_OPENS, plain, paths.opens, stores),
  ];
}

async function otherServer(services, script, environment) {
  const PORT = String(await freePort());
  const program = services.run([`bench/edge/${script}`], { PORT, NODE_ENV: 'production', ...environment });
  const address = `http://127.0.0.1:${PORT}`;
  await program.responds(`${address}/api/t/o/first`);
  return { pid: program.pid, address };
}

async function tokens(services, backend) {
  const keys = await services.withDatabase(backend, loadSigningKeys);
  const ids = Array.from({ length: EMAILS }, () => generateEmailTrackingId(keys, randomBytes(12)));
  const link = (emailTrackingId, position) => signLink(keys, { emailTrackingId, position, url: DESTINATION });
  return {
    opens: ids.map((id) => `/api/t/o/${id}`),
    clicks: ids.map((id, index) => `/api/t/c/${link(id, index % 30)}`),
  };
}

function table(samples) {
  return {
    header: ['', 'requests/s', 'CPU µs/request', 'least', 'most', 'Redis µs', 'Postgres µs', 'p50 ms', 'p99 ms'],
    rows: Object.entries(samples).map(([name, rounds]) => {
      const server = summary(rounds, serverCpu);
      const median = (read) => summary(rounds, read).median;
      return [
        name,
        median(({ perSecond }) => perSecond).toFixed(0),
        ...[server.median, server.least, server.most].map((us) => us.toFixed(1)),
        ...['redis', 'postgres'].map((store) => median(({ cpuUs }) => cpuUs[store] ?? 0).toFixed(1)),
        ...['p50', 'p99'].map((quantile) => median((sample) => sample[quantile]).toFixed(1)),
      ];
    }),
  };
}

function figures(samples) {
  const perSecond = (sample) => sample.perSecond;
  const of = (name, ours, theirs, read, requirement) => ({
    name,
    ...ratio(samples[ours], samples[theirs], read),
    ...requirement,
  });
  return [
    of('CPU of an open against bare node:http', OPENS, BARE_OPENS, serverCpu, { atMost: 1.3 }),
    of('CPU of a click against bare node:http', CLICKS, BARE_CLICKS, serverCpu, { atMost: 1.3 }),
    of('Opens per second against Nest with an INSERT each', OPENS, PLAIN_OPENS, perSecond, { atLeast: 5 }),
    of('CPU of a click against an open', CLICKS, OPENS, serverCpu, { atMost: 1.35 }),
  ];
}

function serverCpu({ cpuUs }) {
  return cpuUs.server;
}
