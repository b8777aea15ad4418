import console from 'node:console';
import { performance } from 'node:perf_hooks';
import { fetch } from 'undici';
import { describe, quantile } from '../framework/durations.mjs';

const DOCUMENTS = 12;
const REQUESTS = 400;

/** Keeps twelve documents in progress that use up the compiler's time limit, while another tenant sends newsletters. */
export async function attackWithDocuments(services) {
  const backend = await services.migratedBackend();
  const key = async (name) =>
    (await services.cli(backend, 'org', 'create', '--name', name, '--plan', 'unlimited')).apiKey;
  const [hostile, neighbor] = [await key('Hostile'), await key('Neighbor')];
  const { address } = await services.ours('api', backend);
  const newsletters = async (count) => {
    const times = [];
    while (times.length < count) times.push(await timed(address, neighbor, newsletter(made++), [200]));
    return times;
  };
  await newsletters(20);
  const alone = await newsletters(REQUESTS);
  const flood = { isOver: false, statuses: new Map() };
  const lanes = Array.from({ length: DOCUMENTS }, async () => {
    while (!flood.isOver) {
      const status = await post(address, hostile, slow(made++));
      flood.statuses.set(status, (flood.statuses.get(status) ?? 0) + 1);
    }
  });
  await newsletters(5);
  const beside = await newsletters(REQUESTS);
  flood.isOver = true;
  await Promise.all(lanes);
  const ends = [...flood.statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  const ratio = quantile(beside, 0.95) / quantile(alone, 0.95);
  console.log(`newsletters in MJML alone: ${describe(alone)}`);
  console.log(`beside ${DOCUMENTS} hostile documents (${ends}): ${describe(beside)}; p95 ${ratio.toFixed(2)}x`);
}

let made = 0;

async function timed(address, key, html, expected) {
  const startedAt = performance.now();
  const status = await post(address, key, html);
  if (!expected.includes(status)) throw new Error(`A newsletter got ${status}`);
  return performance.now() - startedAt;
}

async function post(address, key, htmlContent) {
  const response = await fetch(`${address}/api/emails`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ to: 'reader@example.com', subject: 'S', htmlContent }),
  });
  await response.text();
  return response.status;
}

function newsletter(number) {
  const section = `<mj-section><mj-column><mj-text>Hello ${number}</mj-text><mj-button href="https://harbour.test/${number}">Read</mj-button></mj-column></mj-section>`;
  return `<mjml><mj-body>${section.repeat(8)}</mj-body></mjml>`;
}

/** The compiler applies every rule to every element. */
function slow(number) {
  const rules = Array.from({ length: 1_000 }, (_, at) => `.c${at} p{color:red}`).join('');
  const text = `${number}${'<p>x</p>'.repeat(1_500)}`;
  return `<mjml><mj-head><mj-style inline="inline">${rules}</mj-style></mj-head><mj-body><mj-section><mj-column><mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>`;
}
