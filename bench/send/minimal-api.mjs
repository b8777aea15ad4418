import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { servePosts } from './json-posts.mjs';

// The hand-written minimum, first half: it stores a row, adds a job, and responds once the worker reports the result.
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
await pool.query(`create table if not exists mails (
  id uuid primary key, sender text not null, recipient text not null, subject text not null, html text not null,
  status text not null default 'queued', lease_until timestamptz, lease_token uuid, provider_id text, links jsonb, sent_at timestamptz
)`);
await pool.query('alter table mails alter column html set compression lz4').catch(() => undefined);
const connection = { url: process.env.REDIS_URL };
const queue = new Queue('mails', { connection });
const waiting = new Map();
const results = new Redis(process.env.REDIS_URL);
await results.subscribe('mails:results');
results.on('message', (_channel, id) => waiting.get(id)?.());

servePosts(send);

async function send({ from, to, subject, htmlContent }) {
  const id = randomUUID();
  const done = new Promise((resolve) => waiting.set(id, resolve));
  await pool.query({
    name: 'accept',
    text: 'insert into mails (id, sender, recipient, subject, html) values ($1, $2, $3, $4, $5)',
    values: [id, from, to, subject, htmlContent],
  });
  await queue.add('send', { id }, { jobId: id, removeOnComplete: true });
  await done;
  waiting.delete(id);
  const read = { name: 'read', text: 'select provider_id, links from mails where id = $1', values: [id] };
  const { rows } = await pool.query(read);
  return { id: rows[0].provider_id, from, to, subject, links: rows[0].links };
}
