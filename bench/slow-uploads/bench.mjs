import { Buffer } from 'node:buffer';
import console from 'node:console';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { Readable } from 'node:stream';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import { URL } from 'node:url';
import { fetch } from 'undici';
import { SingleSends } from '../broadcast/single-sends.mjs';
import { describe } from '../framework/durations.mjs';
import { residentBytes } from '../framework/processor-time.mjs';
import { environment } from '../framework/report.mjs';
import { Services } from '../framework/services.mjs';
import { ours, providerStub } from '../send/scenario.mjs';

// npm run bench -- slow-uploads [SECONDS]: three uploads of 30 MB (an email with attachments, recipients as NDJSON and
// as CSV) arrive in pieces with SECONDS between them, a little less than the timeout of the service. Meanwhile, another
// organization sends emails and uploads recipients.
const SECONDS = Number(process.argv[3] ?? 23);
const PIECES = 5;
const BYTES = 29 * 2 ** 20;
const SENDS = 100;
const NAME = 'R'.repeat(100);

const services = await Services.start();
try {
  console.log(environment());
  const backend = await services.migratedBackend();
  const provider = await providerStub(services, 0);
  const { address, apiKey, programs } = await ours(services, provider, backend);
  const base = new URL(address).origin;
  const [{ pid }] = programs;
  const other = await services.cli(backend, 'org', 'create', '--name', 'Other', '--plan', 'unlimited');
  const sends = new SingleSends(base, other.apiKey);
  await sends.several(20);
  const alone = await sends.several(SENDS);
  const recipients = Math.floor(BYTES / recipientLine(0).length);
  const before = residentBytes(pid);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, residentBytes(pid))), 100);
  const slow = Promise.all([
    upload('/api/send', apiKey, 'application/json', email(), PIECES),
    added(apiKey, 'application/x-ndjson', text(recipients, recipientLine), PIECES),
    added(apiKey, 'text/csv', `to,name\n${text(recipients, recipientRow)}`, PIECES),
  ]);
  const beside = [];
  const quick = [];
  let isOver = false;
  void slow.finally(() => (isOver = true)).catch(() => undefined);
  while (!isOver) {
    beside.push(...(await sends.several(10)));
    const startedAt = performance.now();
    await added(other.apiKey, 'application/x-ndjson', text(1_000, recipientLine), 1);
    quick.push(performance.now() - startedAt);
  }
  clearInterval(watch);
  for (const { path, status, seconds, responseText } of await slow)
    console.log(`${path}: ${(BYTES / 2 ** 20).toFixed(0)} MB in ${seconds.toFixed(0)} s, ${status} ${responseText}`);
  console.log(`Sends of another organization alone: ${describe(alone)}`);
  console.log(`Beside the uploads: ${describe(beside)}`);
  console.log(`Its uploads of 1,000 recipients beside them: ${describe(quick)}`);
  console.log(`Memory of the API: ${megabytes(before)} before, at most ${megabytes(most)}`);
  for (const line of sends.late) console.log(line);

  async function added(key, type, body, pieces) {
    const draft = { name: 'News', from: 'news@harbour.test', subject: 'News', htmlContent: '<p>Hello {{ name }}</p>' };
    const { responseText } = await upload('/api/broadcasts', key, 'application/json', JSON.stringify(draft), 1);
    return upload(`/api/broadcasts/${JSON.parse(responseText).id}/recipients`, key, type, body, pieces);
  }

  async function upload(path, key, type, body, pieces) {
    const startedAt = performance.now();
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': type },
      body: Readable.from(inPieces(Buffer.from(body), pieces)),
      duplex: 'half',
    });
    const responseText = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${responseText}`);
    return { path, status: response.status, seconds: (performance.now() - startedAt) / 1000, responseText };
  }
} finally {
  await services.close();
}

async function* inPieces(body, pieces) {
  const size = Math.ceil(body.length / pieces);
  for (let from = 0; from < body.length; from += size) {
    if (from > 0) await setTimeout(SECONDS * 1000);
    yield body.subarray(from, from + size);
  }
}

/** With two attachments, which are base64 and so a third longer than their content. */
function email() {
  const attachment = (filename) => ({ filename, content: Buffer.alloc(9.9 * 2 ** 20, filename).toString('base64') });
  return JSON.stringify({
    ...{ from: 'x@harbour.test', to: 'reader@example.com', subject: 'Large', htmlContent: '<p>Large</p>' },
    attachments: [attachment('a.bin'), attachment('b.bin')],
  });
}

function text(count, line) {
  return Array.from({ length: count }, (_, n) => line(n)).join('');
}

function recipientLine(n) {
  return `{"to":"reader${String(n).padStart(7, '0')}@example.com","variables":{"name":"${NAME}"}}\n`;
}

function recipientRow(n) {
  return `reader${String(n).padStart(7, '0')}@example.com,${NAME}\n`;
}

function megabytes(bytes) {
  return `${(bytes / 2 ** 20).toFixed(0)} MB`;
}
