import console from 'node:console';
import { createServer } from 'node:http';
import { cpus } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { fetch } from 'undici';
import { Organizations } from '../../dist/organizations/organizations.js';
import { Plans } from '../../dist/organizations/plans.js';
import { systemClock } from '../../dist/platform/clock/clock.js';
import { ProcessorTimes } from '../framework/processor-time.mjs';
import { Services } from '../framework/services.mjs';

const EMAILS = 1_500;
const AT_ONCE = 24;
const WARM_UP = 300;
const LINKS = 40;

/** About 30 KB, as a newsletter is. */
const html = `<html><body>${Array.from({ length: LINKS }, (_, index) => `<p style="margin:0 0 16px;font:16px/1.5 Georgia">${'Some words of a newsletter that somebody wrote. '.repeat(13)}<a href="https://shop.example.com/articles/${index}?from=mail">Read more</a></p>`).join('')}</body></html>`;

// npm run bench -- steps: measures the processor time of each step of an email, from request to provider.
const services = await Services.start();
try {
  const provider = await acceptingProvider();
  const backend = await services.migratedBackend();
  const environment = { DELIVERY_PROVIDER: 'sendgrid', SENDGRID_API_KEY: 'SG.bench', SENDGRID_API_URL: provider.url };
  const [api, worker] = [
    await services.ours('api', backend, environment),
    await services.ours('worker', backend, environment),
  ];
  const apiKey = await services.withDatabase(backend, async (database) => {
    const organizations = new Organizations(database, new Plans({ PLANS: new Map([['pro', 1000]]) }), systemClock);
    return (await organizations.create('Bench', 'pro')).apiKey;
  });
  await send(WARM_UP, api.address, apiKey, provider);
  const before = new ProcessorTimes();
  const startedAt = performance.now();
  await send(EMAILS, api.address, apiKey, provider);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = new ProcessorTimes();
  const parts = { api: api.pid, worker: worker.pid, redis: services.redis.pid, postgres: services.postgres.pid };
  const costs = Object.entries(parts).map(([name, pid]) => [name, (after.of(pid) - before.of(pid)) / EMAILS / 1000]);
  const busy = (after.machineUs - before.machineUs) / 1e6 / seconds / cpus().length;
  console.log(
    `${Math.round(html.length / 1024)} KB, ${LINKS} links, ${EMAILS} emails, ${AT_ONCE} at once, processors busy to ${Math.round(busy * 100)} %`,
  );
  console.log(`${Math.round(EMAILS / seconds)} emails a second, all on these ${cpus().length} cores`);
  for (const [name, milliseconds] of costs)
    console.log(`${name.padEnd(10)}${milliseconds.toFixed(2)} ms of processor time per email`);
  provider.close();
} finally {
  await services.close();
}

/** Resolves when the provider has accepted this many more. */
async function send(emails, address, apiKey, provider) {
  const goal = provider.taken() + emails;
  let left = emails;
  const sender = async () => {
    while (left-- > 0) {
      const response = await fetch(`${address}/api/send`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json', prefer: 'respond-async' },
        body: JSON.stringify({
          from: 'ada@acme.example',
          to: `reader-${left}@example.com`,
          subject: 'News',
          htmlContent: html,
          campaignId: 'News',
        }),
      });
      await response.arrayBuffer();
      if (response.status !== 202 && response.status !== 200)
        throw new Error(`POST /api/send responded with ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  while (provider.taken() < goal) await setTimeout(20);
}

async function acceptingProvider() {
  let taken = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      taken++;
      response.writeHead(202, { 'x-message-id': `bench-${taken}` }).end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, taken: () => taken, close: () => server.close() };
}
