import { Buffer } from 'node:buffer';
import console from 'node:console';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { fetch } from 'undici';
import { environment } from '../framework/report.mjs';
import { Services } from '../framework/services.mjs';

// npm run bench -- csv [RECIPIENTS]: uploads a CSV of 50,000 addresses to a broadcast, sends it with two workers to a
// stub of SendGrid, and compares the received mail with the file: one mail of its own for each address.
const RECIPIENTS = Number(process.argv[3] ?? 50_000);

const services = await Services.start();
const mails = new Map();
const bodies = new Set();
const stub = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    record(JSON.parse(Buffer.concat(pieces).toString()));
    response.writeHead(202, { 'X-Message-Id': `stub-${mails.size}` }).end();
  });
}).listen(0, '127.0.0.1');
try {
  await once(stub, 'listening');
  console.log(environment());
  const begun = performance.now();
  const progress = await broadcast();
  const twice = [...mails.values()].filter((count) => count > 1).length;
  const missing = Array.from({ length: RECIPIENTS }, (_, n) => addressOf(n)).filter((address) => !mails.has(address));
  console.log(`${RECIPIENTS} addresses in the file, ${JSON.stringify(progress)}`);
  console.log(
    `The stub got mails to ${mails.size} addresses, ${twice} of them more than one, ${bodies.size} different mails;`,
    `${missing.length} addresses got none. ${((performance.now() - begun) / 1000).toFixed(0)} s in all.`,
  );
  const isExact = mails.size === RECIPIENTS && twice === 0 && missing.length === 0 && bodies.size === RECIPIENTS;
  console.log(isExact ? 'Every recipient got exactly one mail of their own.' : 'NOT EXACT');
  process.exitCode = isExact ? 0 : 1;
} finally {
  await services.close();
  stub.close();
}

/** Reads a call as SendGrid does: each personalization is a mail, with its texts in place of the placeholders. */
function record({ personalizations, content }) {
  const html = content.find(({ type }) => type === 'text/html').value;
  for (const { to, substitutions = {} } of personalizations) {
    const [{ email }] = to;
    mails.set(email, (mails.get(email) ?? 0) + 1);
    let mail = html;
    for (const [placeholder, text] of Object.entries(substitutions)) mail = mail.replaceAll(placeholder, text);
    if (!mail.includes(`Dear ${nameOf(email)},`)) throw new Error(`${email} got the mail of another recipient`);
    bodies.add(createHash('sha1').update(mail).digest('base64'));
  }
}

async function broadcast() {
  const backend = await services.migratedBackend();
  const { apiKey } = await services.cli(backend, 'org', 'create', '--name', 'Bench', '--plan', 'unlimited');
  const account = { SENDGRID_API_KEY: 'SG.bench', SENDGRID_API_URL: `http://127.0.0.1:${stub.address().port}` };
  const sending = { DELIVERY_PROVIDER: 'sendgrid', ...account };
  const { address } = await services.ours('api', backend, sending);
  for (let worker = 0; worker < 2; worker++) await services.ours('worker', backend, sending);
  const call = async (path, body, type = 'application/json') => {
    const headers = { 'x-api-key': apiKey, ...(body && { 'content-type': type }) };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body, duplex: 'half' };
    const response = await fetch(`${address}/api/broadcasts${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const draft = {
    ...{ name: 'News', from: 'news@harbour.test', subject: 'News for {{ name }}' },
    htmlContent:
      '<body>Dear {{ name }}, <a href="https://shop.example/{{ name }}">you</a> <a href="https://shop.example/">all</a></body>',
  };
  const { id } = await call('', JSON.stringify(draft));
  const { added } = await call(`/${id}/recipients`, Readable.from(file()), 'text/csv');
  if (added !== RECIPIENTS) throw new Error(`${added} of ${RECIPIENTS} were added`);
  await call(`/${id}/send`, '{}');
  for (;;) {
    const { status, progress } = await call(`/${id}`);
    if (status === 'sent') return progress;
    console.error(JSON.stringify(progress));
    await setTimeout(5_000);
  }
}

function* file() {
  yield 'name,to\n';
  for (let n = 0; n < RECIPIENTS; n++) yield `${nameOf(addressOf(n))},${addressOf(n)}\n`;
}

function addressOf(n) {
  return `reader${n}@example.com`;
}

function nameOf(address) {
  return `R${address.slice('reader'.length, address.indexOf('@'))}`;
}
