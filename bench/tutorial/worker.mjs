import { URL } from 'node:url';
import process from 'node:process';
import { Worker } from 'bullmq';
import { load } from 'cheerio';
import nodemailer from 'nodemailer';
import pg from 'pg';

// The second process of a typical tutorial: it adds tracking to the HTML and sends it. A pool of SMTP connections and
// concurrency, which many tutorials leave out, make this contestant faster.
const { BASE_URL, DATABASE_URL, REDIS_URL, SMTP_URL } = process.env;
const { hostname, port } = new URL(SMTP_URL);
const db = new pg.Pool({ connectionString: DATABASE_URL });
const transporter = nodemailer.createTransport({ pool: true, host: hostname, port: Number(port), secure: false });

async function sendEmail({ data: { emailId, from, to, subject, html } }) {
  const info = await transporter.sendMail({ from, to, subject, html: withTracking(html, emailId) });
  await db.query(`update emails set status = 'sent', sent_at = now() where id = $1`, [emailId]);
  return info.messageId;
}

function withTracking(html, emailId) {
  const $ = load(html);
  $('a[href]').each((_, link) => {
    const url = encodeURIComponent($(link).attr('href'));
    $(link).attr('href', `${BASE_URL}/track/click/${emailId}?url=${url}`);
  });
  $('body').append(`<img src="${BASE_URL}/track/open/${emailId}" width="1" height="1" alt="">`);
  return $.html();
}

const worker = new Worker('emails', sendEmail, { connection: { url: REDIS_URL }, concurrency: 20 });
await worker.waitUntilReady();
process.stdout.write('ready\n');
