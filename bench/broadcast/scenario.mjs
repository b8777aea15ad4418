import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import { URL } from 'node:url';
import { fetch } from 'undici';
import { describe, quantile } from '../framework/durations.mjs';
import { residentBytes } from '../framework/processor-time.mjs';
import { measuredOnce, ratio, slice, summary, takeTurns } from '../framework/rounds.mjs';
import { newsletter } from '../send/newsletter.mjs';
import { mailServer } from './mail-server.mjs';
import { SingleSends } from './single-sends.mjs';
import { contestant, LEAD_IN_SECONDS, ours, providerStub, totalCpu } from '../send/scenario.mjs';

const BROADCAST = 'broadcast';
const SINGLE = 'POST /api/send';
const VARIABLES = 20;
const CONNECTIONS = 64;
/** Sends on the idle service, before the broadcast and after it. */
const SINGLES = 100;

/** Compares a broadcast with as many single sends of the same 30 KB with 30 links, with one API and one worker. */
export async function run({ services, quick }) {
  const provider = await providerStub(services, 0);
  const backend = await services.migratedBackend();
  const pair = await ours(services, provider, backend, { RATE_LIMIT_PER_MINUTE: '0' });
  const bench = new BroadcastBench(services, backend, pair);
  const upload = await bench.measureUpload(quick ? 20_000 : 200_000);
  const samples = await compared(services, bench, pair, provider, 'SendGrid', quick);
  const stored = await bench.bytesPerRecipient(quick ? 2_000 : 5_000);
  const beside = await bench.singleSendsBeside(quick ? 5_000 : 100_000);
  await pair.stop();
  const mailStub = await mailServer(services);
  const overSmtp = { RATE_LIMIT_PER_MINUTE: '0', DELIVERY_PROVIDER: 'smtp', SMTP_URL: mailStub.address };
  const smtpPlace = await services.migratedBackend();
  const smtpPair = await ours(services, provider, smtpPlace, overSmtp);
  const smtpBench = new BroadcastBench(services, smtpPlace, smtpPair);
  const smtpSamples = await compared(services, smtpBench, smtpPair, mailStub, 'SMTP', quick);
  await smtpPair.stop();
  for (const stub of [provider, mailStub]) await stub.stop();
  const all = { ...samples, ...smtpSamples };
  const cpu = (name) => ratio(all[`${BROADCAST}, ${name}`], all[`${SINGLE}, ${name}`], totalCpu);
  return {
    title: 'Broadcasts',
    samples: all,
    tables: [table(all)],
    figures: [
      { name: 'CPU of all processes per email against POST /api/send, SendGrid', ...cpu('SendGrid'), atMost: 1 / 6 },
      { name: 'CPU of all processes per email against POST /api/send, SMTP', ...cpu('SMTP'), atMost: 1 / 4 },
      { name: 'Recipients in per second', ...measuredOnce(upload.perSecond), atLeast: 20_000, unit: '' },
      {
        name: 'Growth of the API while they come, after as many as a tenth',
        ...measuredOnce(upload.megabytes),
        atMost: 100,
        unit: ' MB',
      },
      { name: 'Postgres per recipient', ...measuredOnce(stored), atMost: 3, unit: ' KB' },
      {
        name: "p95 of another organization's sends, against an idle service",
        ...measuredOnce(beside.ratio),
        atMost: 2,
      },
      { name: 'Memory of Redis', ...measuredOnce(beside.redisMegabytes), atMost: 100, unit: ' MB' },
    ],
    notes: [
      `${upload.recipients} recipients with ${VARIABLES} variables each, as NDJSON: ${upload.cpuUs.api.toFixed(1)} µs of API and ${upload.cpuUs.postgres.toFixed(1)} µs of Postgres each.`,
      `Another organization's sends: ${beside.idle} alone, ${beside.busy} beside a broadcast to ${beside.recipients}.`,
      ...beside.late,
    ],
  };
}

async function compared(services, bench, pair, provider, name, quick) {
  const single = contestant(services, pair, provider, quick ? 3 : 6, CONNECTIONS, LEAD_IN_SECONDS);
  const many = { ...single, name: `${BROADCAST}, ${name}`, work: () => bench.send(quick ? 1_000 : 5_000) };
  const contestants = [many, { ...single, name: `${SINGLE}, ${name}` }];
  for (const { work } of contestants) await work();
  return takeTurns(contestants, quick ? { rounds: 1, mostRounds: 1 } : { rounds: 3, mostRounds: 4 });
}

class BroadcastBench {
  #addresses = 0;

  constructor(services, backend, { address, apiKey, programs: [api] }) {
    this.services = services;
    this.backend = backend;
    this.base = address.replace('/api/send', '/api/broadcasts');
    this.apiKey = apiKey;
    this.api = api;
  }

  /** Resolves when every recipient's email is final. */
  async send(units) {
    const id = await this.#draft();
    await this.#upload(id, units);
    await this.#call(`/${id}/send`, { method: 'POST' });
    for (;;) {
      const { status, progress } = await this.#call(`/${id}`);
      if (status === 'sent' && progress.sent !== units) throw new Error(`${JSON.stringify(progress)} of ${units}`);
      if (status === 'sent') return { units };
      await setTimeout(250);
    }
  }

  /** Measures recipients that are uploaded as a stream. Their draft is deleted. */
  async measureUpload(recipients) {
    const id = await this.#draft();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, residentBytes(this.api.pid))), 100);
    await this.#upload(id, recipients / 10);
    const afterTenth = most;
    const pids = { api: this.api.pid, postgres: this.services.postgres.pid };
    const work = () => this.#upload(id, recipients).then(() => ({ units: recipients }));
    const { perSecond, cpuUs } = await slice({ pids, work });
    clearInterval(watch);
    await this.#call(`/${id}`, { method: 'DELETE' });
    return { recipients, perSecond, cpuUs, megabytes: (most - afterTenth) / 2 ** 20 };
  }

  /** Sends of another organization, one at a time, before, during and after a broadcast. */
  async singleSendsBeside(recipients) {
    const { apiKey } = await this.services.cli(this.backend, 'org', 'create', '--name', 'Other', '--plan', 'unlimited');
    const sends = new SingleSends(new URL(this.base).origin, apiKey);
    await sends.several(20);
    const idle = await sends.several(SINGLES);
    const redis = this.services.redis.pid;
    let most = residentBytes(redis);
    const id = await this.#draft();
    await this.#upload(id, recipients);
    await this.#call(`/${id}/send`, { method: 'POST' });
    const busy = [];
    while ((await this.#call(`/${id}`)).status !== 'sent') {
      busy.push(await sends.one());
      most = Math.max(most, residentBytes(redis));
    }
    idle.push(...(await sends.several(SINGLES)));
    const [alone, beside] = [idle, busy].map((times) => quantile(times, 0.95));
    const timings = { idle: describe(idle), busy: describe(busy), late: sends.late };
    return { recipients, ratio: beside / alone, redisMegabytes: most / 2 ** 20, ...timings };
  }

  async bytesPerRecipient(units) {
    const size = () =>
      this.services.asClient(this.backend.DATABASE_URL, async (client) => {
        await client.query('vacuum');
        return (await client.query(SIZE)).rows[0].bytes;
      });
    const before = await size();
    await this.send(units);
    return ((await size()) - before) / units / 1024;
  }

  async #draft() {
    const names = Array.from({ length: VARIABLES }, (_, n) => `{{ variable${n} }}`);
    const body = JSON.stringify({
      name: 'News',
      from: 'news@harbour.test',
      subject: 'News',
      htmlContent: newsletter().replace('<table', `<p>${names.join(' ')}</p><table`),
    });
    return (await this.#call('', { method: 'POST', body, headers: { 'content-type': 'application/json' } })).id;
  }

  async #upload(id, count) {
    const headers = { 'content-type': 'application/x-ndjson' };
    const body = Readable.from(this.#lines(count));
    const { added } = await this.#call(`/${id}/recipients`, { method: 'POST', body, headers, duplex: 'half' });
    if (added !== count) throw new Error(`${added} of ${count} recipients were added`);
  }

  *#lines(count) {
    const variables = Object.fromEntries(Array.from({ length: VARIABLES }, (_, n) => [`variable${n}`, `value ${n}`]));
    const rest = `@example.com","variables":${JSON.stringify(variables)}}\n`;
    for (let left = count; left > 0; left -= 200) {
      const lines = Array.from({ length: Math.min(200, left) }, () => `{"to":"b${this.#addresses++}${rest}`);
      yield Buffer.from(lines.join(''));
    }
  }

  async #call(path, init = {}) {
    const headers = { ...init.headers, 'x-api-key': this.apiKey };
    const response = await fetch(this.base + path, { ...init, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}

/** Measures everything that a recipient leaves behind; memory that is reused later does not count. */
const SIZE = `select pg_database_size(current_database())::float8 as bytes`;

function table(samples) {
  const processes = ['api', 'worker', 'redis', 'postgres'];
  const median = (rounds, read) => summary(rounds, read).median;
  return {
    header: ['', 'emails/s', ...processes.map((name) => `${name} µs`)],
    rows: Object.entries(samples).map(([name, rounds]) => [
      name,
      median(rounds, ({ perSecond }) => perSecond).toFixed(0),
      ...processes.map((process) => median(rounds, ({ cpuUs }) => cpuUs[process]).toFixed(0)),
    ]),
  };
}
