import { Buffer } from 'node:buffer';
import console from 'node:console';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { isEmailTrackingId, mintEmailTrackingId } from '../../dist/links/email-tracking-id.js';
import { HmacSha256 } from '../../dist/links/hmac-sha256.js';
import { readLink, signLink } from '../../dist/links/link-token.js';
import { SigningKeys } from '../../dist/links/signing-keys.js';
import { renderEmail } from '../../dist/rendering/render-email.js';
import { textPartOf } from '../../dist/rendering/text-part.js';
import { contestants, keepsBytes } from './contestants.mjs';
import { benchEmails } from './emails.mjs';
import { medians } from './measure.mjs';

const emails = await benchEmails();
const keys = new SigningKeys([{ id: 1, secret: createHash('sha256').update('bench').digest() }]);
const emailTrackingId = mintEmailTrackingId(keys, randomBytes(12));
const baseUrl = 'https://t.test';

rewriting();
wholeEmails();
tokens();

function rewriting() {
  const [our, bare] = Object.keys(contestants);
  const speeds = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (const { html } of emails) {
    const runs = Object.entries(contestants).map(([name, rewrite]) => [name, () => flat(rewrite(html))]);
    const times = medians(Object.fromEntries(runs));
    for (const [name, ms] of Object.entries(times)) speeds[name].push(Buffer.byteLength(html) / 1e3 / ms);
  }
  const lengths = emails.map(({ html }) => Buffer.byteLength(html));
  const total = lengths.reduce((sum, length) => sum + length);
  // All emails, one after the other.
  const mean = (name) => total / lengths.reduce((sum, length, index) => sum + length / speeds[name][index], 0);
  const header = emails.map(({ html }) => `${size(html)}, ${renderEmail(request(html), keys).links.length} links`);
  table(
    ['MB/s', ...header, 'all', 'ours is', 'bytes kept'],
    Object.entries(contestants).map(([name, rewrite]) => [
      name,
      ...speeds[name].map((speed) => speed.toFixed(1)),
      mean(name).toFixed(1),
      `${(mean(our) / mean(name)).toFixed(2)}×`,
      emails.every(({ html }) => keepsBytes(rewrite, html)) ? 'yes' : 'no',
    ]),
  );
  for (const [name, factor] of [
    ['cheerio', 10],
    ['parse5-html-rewriting-stream', 8],
    [bare, 0.8],
  ]) {
    const reached = mean(our) / mean(name);
    const worst = Math.min(...speeds[our].map((speed, index) => speed / speeds[name][index]));
    const verdict = reached >= factor ? 'reached' : 'MISSED';
    console.log(
      `At least ${factor}× ${name}: ${reached.toFixed(2)}× (${worst.toFixed(2)}× on the worst email), ${verdict}`,
    );
  }
}

function wholeEmails() {
  const rows = emails.map(({ name, html }) => {
    const times = medians({ whole: () => renderEmail(request(html), keys), text: () => textPartOf(html) }, 7);
    return [name, size(html), times.whole.toFixed(2), times.text.toFixed(2)];
  });
  console.log();
  table(['renderEmail', 'HTML', 'ms with tokens and text part', 'ms of the text part'], rows);
}

function tokens() {
  const url = 'https://www.harbour.test/stories/12?utm_source=newsletter&utm_medium=email&utm_content=12';
  const link = { emailTrackingId, position: 12, url };
  const token = signLink(keys, link);
  const forged = `A${token.slice(1)}`;
  const key = randomBytes(32);
  const hmac = new HmacSha256(key);
  const times = medians({
    'sign a link': () => signLink(keys, link),
    'read a link': () => readLink(keys, token),
    'refuse a forged link': () => readLink(keys, forged),
    'check an email tracking ID': () => isEmailTrackingId(keys, emailTrackingId),
    'HMAC-SHA256 by two one-shot hashes': () => hmac.digest(token),
    'HMAC-SHA256 by createHmac': () => createHmac('sha256', key).update(token).digest('base64url'),
  });
  console.log();
  table(
    ['Tokens', 'µs'],
    Object.entries(times).map(([name, ms]) => [name, (ms * 1000).toFixed(1)]),
  );
  console.log(`A token for a URL of ${url.length} characters has ${token.length} characters.`);
}

function request(html) {
  return { html, emailTrackingId, baseUrl };
}

function size(html) {
  return `${Math.round(Buffer.byteLength(html) / 1000)} KB`;
}

/** Strings put together by "+" are copied only when somebody reads them: here. */
function flat(text) {
  return text.charCodeAt(text.length - 1);
}

function table(header, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  console.log([line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n'));
}
