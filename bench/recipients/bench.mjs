import { Buffer } from 'node:buffer';
import console from 'node:console';
import process from 'node:process';
import { Readable } from 'node:stream';
import { clearInterval, setInterval } from 'node:timers';
import { fetch } from 'undici';
import { residentBytes } from '../framework/processor-time.mjs';
import { environment } from '../framework/report.mjs';
import { slice } from '../framework/rounds.mjs';
import { Services } from '../framework/services.mjs';
import { newsletter } from '../send/newsletter.mjs';

// npm run bench -- recipients [RECIPIENTS [ROUNDS]]: measures the cost of a recipient of an upload, as NDJSON and as
// CSV, in turns, and the memory of API, Redis and Postgres.
const RECIPIENTS = Number(process.argv[3] ?? 200_000);
const ROUNDS = Number(process.argv[4] ?? 3);
const VARIABLES = Array.from({ length: 20 }, (_, n) => `variable${n}`);

/** With all indexes. */
const SIZE = `select pg_total_relation_size('broadcast_recipients') as bytes`;

const ndjson = {
  name: 'NDJSON',
  type: 'application/x-ndjson',
  lines: (...parameters) => inPieces(ndjsonLine, ...parameters),
};
const csv = { name: 'CSV', type: 'text/csv', lines: csvLines };

const services = await Services.start();
try {
  console.log(environment());
  const backend = await services.migratedBackend();
  const { apiKey } = await services.cli(backend, 'org', 'create', '--name', 'Bench', '--plan', 'unlimited');
  const api = await services.ours('api', backend);
  const headers = { 'x-api-key': apiKey };
  const columns = ['recipients/s', 'api µs', 'postgres µs', 'API after a tenth', 'API at most', 'Redis at most'];
  const header = [`${RECIPIENTS} recipients as`, ...columns, 'Postgres per recipient', 'foreign cores'];
  console.log(`| ${header.join(' | ')} |`);
  console.log(`|${' --- |'.repeat(header.length)}`);
  for (const format of [ndjson, csv]) await measure(api, backend, headers, format, 10_000);
  for (let round = 0; round < ROUNDS; round++)
    for (const format of [ndjson, csv])
      console.log(row(format, await measure(api, backend, headers, format, RECIPIENTS)));
} finally {
  await services.close();
}

async function measure({ address, pid }, backend, headers, format, recipients) {
  const id = await draft(address, headers);
  const size = () =>
    services.asClient(backend.DATABASE_URL, async (client) => Number((await client.query(SIZE)).rows[0].bytes));
  const sizeBefore = await size();
  let [most, afterTenth, redis] = [0, 0, 0];
  const watch = setInterval(() => {
    most = Math.max(most, residentBytes(pid));
    redis = Math.max(redis, residentBytes(services.redis.pid));
  }, 100);
  const lines = format.lines(recipients, () => (afterTenth ||= most));
  const work = () => upload(`${address}/api/broadcasts/${id}/recipients`, headers, { ...format, lines }, recipients);
  const measured = await slice({ pids: { api: pid, postgres: services.postgres.pid }, work });
  clearInterval(watch);
  const stored = ((await size()) - sizeBefore) / recipients;
  return { ...measured, megabytes: [afterTenth, most, redis].map((bytes) => bytes / 2 ** 20), stored };
}

async function draft(address, headers) {
  const htmlContent = newsletter().replace(
    '<table',
    `<p>${VARIABLES.map((name) => `{{ ${name} }}`).join(' ')}</p><table`,
  );
  const response = await fetch(`${address}/api/broadcasts`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'News', from: 'news@harbour.test', subject: 'News', htmlContent }),
  });
  return (await response.json()).id;
}

async function upload(url, headers, { type, lines }, recipients) {
  const body = Readable.from(lines);
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': type },
    body,
    duplex: 'half',
  });
  const { added } = await response.json();
  if (added !== recipients) throw new Error(`${added} of ${recipients} recipients were added`);
  return { units: recipients };
}

function* csvLines(...parameters) {
  yield `to,${VARIABLES.join(',')}\n`;
  yield* inPieces(csvLine, ...parameters);
}

/** The service is at most a few batches behind. */
function* inPieces(line, count, onTenth) {
  for (let done = 0; done < count; done += 200) {
    if (done >= count / 10) onTenth();
    const lines = Array.from({ length: Math.min(200, count - done) }, (_, n) => line(done + n));
    yield Buffer.from(lines.join(''));
  }
}

function ndjsonLine(n) {
  return `${JSON.stringify({ to: addressOf(n), variables: Object.fromEntries(VARIABLES.map((name, at) => [name, valueOf(n, at)])) })}\n`;
}

function csvLine(n) {
  return `${addressOf(n)},${VARIABLES.map((_, at) => valueOf(n, at)).join(',')}\n`;
}

/** Unordered, as in a real list. */
function addressOf(n) {
  return `reader.${((n + 1) * 7_919) % 1_000_003}.${n}@example.com`;
}

function valueOf(n, at) {
  return `value ${at} ${n}`;
}

function row({ name }, { perSecond, cpuUs, megabytes, stored, foreign }) {
  const cells = [name, perSecond.toFixed(0), cpuUs.api.toFixed(1), cpuUs.postgres.toFixed(1)];
  const memory = megabytes.map((size) => `${size.toFixed(0)} MB`);
  return `| ${[...cells, ...memory, `${stored.toFixed(0)} B`, foreign.toFixed(1)].join(' | ')} |`;
}
