import { clearInterval, setInterval } from 'node:timers';
import { performance } from 'node:perf_hooks';
import { fetch } from 'undici';
import { ProcessorTimes, residentBytes } from '../framework/processor-time.mjs';
import { newsletter } from '../send/newsletter.mjs';

/** Requests of the other organization on the idle service. */
const ALONE = 120;
const WARM_UP = 40;
const WATCH_MS = 100;

/**
 * Runs an operation while another organization sends and lists its emails, one request at a time.
 * @param {{ address: string, apiKey: string }} other the send address and the key of the other organization
 * @param {Record<string, number>} pids processes whose memory and processor time count
 */
export async function beside({ services, backend }, other, pids, operation) {
  const alone = await timeRequests(other, (turn) => turn >= WARM_UP + ALONE, WARM_UP);
  return services.asClient(backend.DATABASE_URL, async (client) => {
    const watch = await watched(client, pids);
    const startedAt = performance.now();
    let seconds;
    const ends = operation().then((result) => {
      seconds = (performance.now() - startedAt) / 1000;
      return result;
    });
    const busy = await timeRequests(other, (turn) => seconds !== undefined && turn >= 1, 0).catch((error) =>
      ends.then(() => Promise.reject(error)),
    );
    const result = await ends;
    return { seconds, ...result, ...(await watch.end()), ...latencies(alone, busy) };
  });
}

async function timeRequests({ address, apiKey }, isEnough, warmUp) {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const times = { send: [], list: [] };
  const body = JSON.stringify({ from: 'a@acme.example', to: 'b@example.com', subject: 'S', htmlContent: newsletter() });
  for (let turn = 0; !isEnough(turn); turn++) {
    const took = {
      send: await timed(address, { method: 'POST', headers, body }),
      list: await timed(address.replace('/api/send', '/api/emails?limit=100'), { headers }),
    };
    for (const name of Object.keys(times)) if (turn >= warmUp) times[name].push(took[name]);
  }
  return times;
}

async function timed(url, init) {
  const at = performance.now();
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return performance.now() - at;
}

function latencies(alone, busy) {
  return Object.fromEntries(
    Object.keys(alone).map((name) => {
      const [before, during] = [alone[name], busy[name]].map((times) => times.toSorted((a, b) => a - b));
      const at = (sorted, share) => sorted[Math.floor((sorted.length - 1) * share)];
      const quantiles = (share) => ({ alone: at(before, share), beside: at(during, share) });
      const [p50, p95] = [quantiles(0.5), quantiles(0.95)];
      return [name, { requests: during.length, p50, p95, ratio: p95.beside / p95.alone, most: at(during, 1) }];
    }),
  );
}

/** The longest transaction, the write-ahead log, dead rows, and the memory and processor time of processes. */
async function watched(client, pids) {
  const before = { memory: {}, times: new ProcessorTimes(), wal: await walBytes(client) };
  for (const [name, pid] of Object.entries(pids)) before.memory[name] = residentBytes(pid);
  const most = { ...before.memory };
  let longestMs = 0;
  let pending;
  const watch = setInterval(() => {
    for (const [name, pid] of Object.entries(pids)) most[name] = Math.max(most[name], residentBytes(pid));
    pending ??= client.query(LONGEST).then(({ rows }) => {
      longestMs = Math.max(longestMs, rows[0].ms);
      pending = undefined;
    });
  }, WATCH_MS);
  const end = async () => {
    clearInterval(watch);
    await pending;
    const after = new ProcessorTimes();
    const names = Object.keys(pids);
    const each = (read) => Object.fromEntries(names.map((name) => [name, read(name)]));
    return {
      cpuSeconds: each((name) => (after.of(pids[name]) - before.times.of(pids[name])) / 1e6),
      megabytes: each((name) => [before.memory[name], most[name]].map((bytes) => Math.round(bytes / 2 ** 20))),
      longestTransactionMs: longestMs,
      walMegabytes: ((await walBytes(client)) - before.wal) / 2 ** 20,
      deadRows: Object.fromEntries((await client.query(DEAD)).rows.map(({ name, rows }) => [name, rows])),
    };
  };
  return { end };
}

const LONGEST = `
select coalesce(max(extract(epoch from clock_timestamp() - xact_start)) * 1000, 0)::float8 as ms
  from pg_stat_activity where application_name = 'mailbeacon' and xact_start is not null`;
const DEAD = `
select relname as name, n_dead_tup::integer as rows from pg_stat_user_tables
 where n_dead_tup > 10000 order by n_dead_tup desc limit 6`;

async function walBytes(client) {
  const { rows } = await client.query(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`);
  return rows[0].bytes;
}
