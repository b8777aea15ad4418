import { Buffer } from 'node:buffer';
import process from 'node:process';
import { Queue } from 'bullmq';
import express from 'express';
import pg from 'pg';

// The first process of a typical tutorial: a route that queues emails, a pixel that records opens, and a redirect that
// records clicks. The redirect trusts the URL in its query, as tutorials do.
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICTAEAOw==', 'base64');
const db = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const emailQueue = new Queue('emails', { connection: { url: process.env.REDIS_URL } });

await db.query(`
  create table emails (
    id serial primary key, recipient text not null, subject text not null, status text not null default 'queued',
    sent_at timestamptz, created_at timestamptz not null default now()
  );
  create table opens (
    id serial primary key, email_id int not null references emails (id), ip text, user_agent text,
    opened_at timestamptz not null default now()
  );
  create table clicks (
    id serial primary key, email_id int not null references emails (id), url text not null, ip text, user_agent text,
    clicked_at timestamptz not null default now()
  )`);

const app = express();
app.use(express.json({ limit: '1mb' }));

app.get('/', (req, res) => res.send('ready'));

app.post('/send', async (req, res) => {
  const { from, to, subject, htmlContent } = req.body;
  const { rows } = await db.query('insert into emails (recipient, subject) values ($1, $2) returning id', [
    to,
    subject,
  ]);
  const emailId = rows[0].id;
  await emailQueue.add(
    'send-email',
    { emailId, from, to, subject, html: htmlContent },
    { attempts: 3, backoff: { type: 'exponential', delay: 1000 }, removeOnComplete: true },
  );
  res.status(202).json({ id: emailId, status: 'queued' });
});

app.get('/track/open/:emailId', async (req, res) => {
  await db.query('insert into opens (email_id, ip, user_agent) values ($1, $2, $3)', [
    req.params.emailId,
    req.ip,
    req.get('user-agent'),
  ]);
  res.set({ 'Content-Type': 'image/gif', 'Cache-Control': 'no-store' }).send(PIXEL);
});

app.get('/track/click/:emailId', async (req, res) => {
  const { url } = req.query;
  await db.query('insert into clicks (email_id, url, ip, user_agent) values ($1, $2, $3, $4)', [
    req.params.emailId,
    url,
    req.ip,
    req.get('user-agent'),
  ]);
  res.redirect(url);
});

app.listen(Number(process.env.PORT), '127.0.0.1');
