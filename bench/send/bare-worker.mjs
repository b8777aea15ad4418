import process from 'node:process';
import { Worker } from 'bullmq';
import { load } from 'cheerio';
import { fetch } from 'undici';

// The simplest implementation, second half: it replaces links and adds a pixel with cheerio, and calls the provider.
async function send({ id, data: { from, to, subject, htmlContent } }) {
  const html = tracked(htmlContent, id);
  const response = await fetch(`${process.env.SENDGRID_API_URL}/v3/mail/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer SG.bench' },
    body: JSON.stringify({
      personalizations: [{ to: [{ email: to }] }],
      from: { email: from },
      subject,
      content: [{ type: 'text/html', value: html }],
    }),
  });
  await response.arrayBuffer();
  if (response.status !== 202) throw new Error(`The provider responded with ${response.status}`);
  return { id: response.headers.get('x-message-id'), from, to, subject };
}

function tracked(html, id) {
  const $ = load(html);
  $('a[href]').each((index, link) => void $(link).attr('href', `https://t.test/c/${id}/${index}`));
  $('body').append(`<img src="https://t.test/o/${id}" width="1" height="1">`);
  return $.html();
}

const worker = new Worker('bare', send, { connection: { url: process.env.REDIS_URL }, concurrency: 20 });
await worker.waitUntilReady();
process.stdout.write('ready\n');
