import { readFileSync } from 'node:fs';
import { mailServer } from '../broadcast/mail-server.mjs';
import { freePort } from '../framework/programs.mjs';
import { compareWith } from './measure.mjs';
import { destination, EMAIL, ourSender, storesOf } from './ours.mjs';

const EMAILS_CLICKED = 10_000;

/** Compares our processes with nodemailer, BullMQ and Express, combined as in a typical tutorial. */
export async function run({ services, quick }) {
  const [ours, tutorial] = [await ourSender(services), await tutorialSender(services)];
  const result = await compareWith(tutorial, ours, { services, quick });
  for (const { stop } of [ours, tutorial]) await stop();
  return { ...result, notes: [versions()] };
}

async function tutorialSender(services) {
  const stub = await mailServer(services);
  const backend = await services.newBackend();
  const PORT = String(await freePort());
  const address = `http://127.0.0.1:${PORT}`;
  const app = services.run(['bench/tutorial/app.mjs'], { ...backend, PORT, NODE_ENV: 'production' });
  await app.responds(address);
  const sending = { ...backend, BASE_URL: address, SMTP_URL: stub.address, NODE_ENV: 'production' };
  const worker = services.run(['bench/tutorial/worker.mjs'], sending);
  await worker.prints(/ready/);
  const query = (sql) => services.asClient(backend.DATABASE_URL, async (client) => (await client.query(sql)).rows);
  const clicks = async () => {
    const emails = await query(`insert into emails (recipient, subject, status)
      select 'reader-' || n || '@test', 'News', 'sent' from generate_series(1, ${EMAILS_CLICKED}) n returning id`);
    const paths = emails.map(({ id }, index) => `/track/click/${id}?url=${encodeURIComponent(destination(index))}`);
    const stored = async () => (await query('select count(*)::int as stored from clicks'))[0].stored;
    // Each response waits for its row.
    return { address, paths, pids: { API: app.pid, ...storesOf(services) }, settled: async () => undefined, stored };
  };
  return {
    name: 'a tutorial',
    stub,
    send: { address: `${address}/send`, body: JSON.stringify(EMAIL) },
    pids: { API: app.pid, worker: worker.pid, ...storesOf(services) },
    clicks,
    stop: () => Promise.all([app.stop(), worker.stop()]),
  };
}

function versions() {
  const names = ['nodemailer', 'bullmq', 'express', 'cheerio', 'pg'];
  const read = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version;
  return `The tutorial: ${names.map((name) => `${name} ${read(name)}`).join(', ')}.`;
}
