import { Buffer } from 'node:buffer';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { isEmailTrackingId, generateEmailTrackingId } from '../../dist/links/email-tracking-id.js';
import { HmacSha256 } from '../../dist/links/fast-mac/hmac-sha256.js';
import { readLink, signLink } from '../../dist/links/link-token.js';
import { SigningKeys } from '../../dist/links/signing-keys.js';
import { renderEmail } from '../../dist/rendering/render-email.js';
import { textPartOf } from '../../dist/rendering/text-part/text-part.js';
import { contestants, keepsBytes } from './contestants.mjs';
import { benchEmails } from './emails.mjs';
import { medians } from './measure.mjs';

const emails = await benchEmails();
const keys = new SigningKeys([{ id: 1, secret: createHash('sha256').update('bench').digest() }]);
const emailTrackingId = generateEmailTrackingId(keys, randomBytes(12));
const baseUrl = 'https://t.test';
const DESTINATION = 'https://www.harbour.test/stories/12?utm_source=newsletter&utm_medium=email&utm_content=12';

/** Compares functions in this process, by its own processor time. */
export async function run({ quick }) {
  const rounds = quick ? 5 : 21;
  const rewritten = rewriting(rounds);
  const { length } = token();
  return {
    title: 'Rendering',
    samples: {},
    tables: [rewritten.table, wholeEmails(quick ? 3 : 7), tokens(rounds)],
    figures: rewritten.figures,
    notes: [`A token for a URL of ${DESTINATION.length} characters has ${length} characters.`],
  };
}

function rewriting(rounds) {
  const [our, bare] = Object.keys(contestants);
  const speeds = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (const { html } of emails) {
    const runs = Object.entries(contestants).map(([name, rewrite]) => [name, () => flat(rewrite(html))]);
    const times = medians(Object.fromEntries(runs), rounds);
    for (const [name, ms] of Object.entries(times)) speeds[name].push(Buffer.byteLength(html) / 1e3 / ms);
  }
  const lengths = emails.map(({ html }) => Buffer.byteLength(html));
  const total = lengths.reduce((sum, length) => sum + length);
  // All emails, one after the other.
  const mean = (name) => total / lengths.reduce((sum, length, index) => sum + length / speeds[name][index], 0);
  const header = emails.map(({ html }) => `${size(html)}, ${renderEmail(request(html), keys).links.length} links`);
  const table = {
    header: ['MB/s', ...header, 'all', 'ours is', 'bytes kept'],
    rows: Object.entries(contestants).map(([name, rewrite]) => [
      name,
      ...speeds[name].map((speed) => speed.toFixed(1)),
      mean(name).toFixed(1),
      `${(mean(our) / mean(name)).toFixed(2)}×`,
      emails.every(({ html }) => keepsBytes(rewrite, html)) ? 'yes' : 'no',
    ]),
  };
  const required = [
    ['cheerio', 10],
    ['parse5-html-rewriting-stream', 8],
    [bare, 0.8],
  ];
  const figures = required.map(([name, atLeast]) => {
    const perEmail = speeds[our].map((speed, index) => speed / speeds[name][index]);
    const [least, most] = [Math.min(...perEmail), Math.max(...perEmail)];
    return { name: `MB/s against ${name}`, median: mean(our) / mean(name), least, most, atLeast };
  });
  return { table, figures };
}

function wholeEmails(rounds) {
  const rows = emails.map(({ name, html }) => {
    const times = medians({ whole: () => renderEmail(request(html), keys), text: () => textPartOf(html) }, rounds);
    return [name, size(html), times.whole.toFixed(2), times.text.toFixed(2)];
  });
  return { header: ['renderEmail', 'HTML', 'ms with tokens and text part', 'ms of the text part'], rows };
}

function token() {
  return signLink(keys, { emailTrackingId, position: 12, url: DESTINATION });
}

function tokens(rounds) {
  const link = { emailTrackingId, position: 12, url: DESTINATION };
  const signed = token();
  const forged = `A${signed.slice(1)}`;
  const key = randomBytes(32);
  const hmac = new HmacSha256(key);
  const functions = {
    'sign a link': () => signLink(keys, link),
    'read a link': () => readLink(keys, signed),
    'refuse a forged link': () => readLink(keys, forged),
    'check an email tracking ID': () => isEmailTrackingId(keys, emailTrackingId),
    'HMAC-SHA256 by two one-shot hashes': () => hmac.digest(signed),
    'HMAC-SHA256 by createHmac': () => createHmac('sha256', key).update(signed).digest('base64url'),
  };
  const times = medians(functions, rounds);
  return { header: ['Tokens', 'µs'], rows: Object.entries(times).map(([name, ms]) => [name, (ms * 1000).toFixed(1)]) };
}

function request(html) {
  return { html, emailTrackingId, baseUrl };
}

function size(html) {
  return `${Math.round(Buffer.byteLength(html) / 1000)} KB`;
}

/** Strings concatenated with "+" are copied only when they are read, which happens here. */
function flat(text) {
  return text.charCodeAt(text.length - 1);
}
