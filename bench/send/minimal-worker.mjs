import { Buffer } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import process from 'node:process';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { Agent, request } from 'undici';
import { SigningKeys } from '../../dist/links/signing-keys.js';
import { generateEmailTrackingId } from '../../dist/links/email-tracking-id.js';
import { renderEmail } from '../../dist/rendering/render-email.js';

// The hand-written minimum, second half: it takes a lease, renders, calls the provider, records the result if the lease
// is still valid, and publishes it. It uses our own renderer, so that only the rest is compared.
const keys = new SigningKeys([{ id: 1, secret: createHash('sha256').update('bench').digest() }]);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const redis = new Redis(process.env.REDIS_URL);
const dispatcher = new Agent({ connections: 20, keepAliveTimeout: 15_000 });
const connection = { url: process.env.REDIS_URL, maxRetriesPerRequest: null };
const prepared = async (name, text, values) => (await pool.query({ name, text, values })).rows;

async function send({ data: { id } }) {
  const token = randomUUID();
  const claim = `update mails set status = 'sending', lease_token = $2, lease_until = now() + interval '30 s'
    where id = $1 and status = 'queued' returning sender, recipient, subject, html`;
  const [mail] = await prepared('claim', claim, [id, token]);
  if (!mail) return;
  const emailTrackingId = generateEmailTrackingId(
    keys,
    Buffer.from(randomUUID().replaceAll('-', ''), 'hex').subarray(0, 12),
  );
  const { html, text, links } = renderEmail({ html: mail.html, emailTrackingId, baseUrl: 'https://t.test' }, keys);
  const { statusCode, headers, body } = await request(`${process.env.SENDGRID_API_URL}/v3/mail/send`, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/json', authorization: 'Bearer SG.bench' },
    body: JSON.stringify({
      personalizations: [{ to: [{ email: mail.recipient }] }],
      from: { email: mail.sender },
      subject: mail.subject,
      content: [
        { type: 'text/plain', value: text },
        { type: 'text/html', value: html },
      ],
    }),
  });
  await body.dump();
  if (statusCode !== 202) throw new Error(`The provider responded with ${statusCode}`);
  const record = `update mails set status = 'sent', sent_at = now(), provider_id = $2, links = $3, lease_token = null
    where id = $1 and lease_token = $4`;
  await prepared('record', record, [id, headers['x-message-id'], JSON.stringify(links), token]);
  await redis.publish('mails:results', id);
}

const worker = new Worker('mails', send, { connection, concurrency: 20 });
await worker.waitUntilReady();
process.stdout.write('ready\n');
