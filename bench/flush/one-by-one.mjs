import process from 'node:process';
import pg from 'pg';
import { Database } from '../../dist/platform/database/database.js';
import { ensureEventPartitions } from '../../dist/events/event-partitions.js';
import { storeSentMail } from './sent-mail.mjs';
import { timeStores } from './timed-stores.mjs';

// A naive implementation: each event is a separate transaction, ten at a time, with its row and the counters of its
// email, its contact and its campaign.
const AT_ONCE = 10;
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: AT_ONCE });
const mail = await storeSentMail(new Database(pool));
await ensureEventPartitions(new Database(pool), new Date());
await pool.query(`insert into campaign_totals (campaign_id, shard) values ($1, -1)`, [mail.campaignId]);

timeStores(mail, store);

async function store(events) {
  const waiting = events.values();
  const storeNext = async () => {
    for (const event of waiting) await storeOne(event);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, storeNext));
}

async function storeOne({ id, type, email, linkPosition = null, url = null }) {
  const column = type === 'opened' ? 'opens' : 'clicks';
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `insert into events (id, ordinal, occurred_at, type, email_id, contact_id, link_position, url)
       values ($1, 1, now(), $2, $3, $4, $5, $6)`,
      [id, type, email.id, email.contactId, linkPosition, url],
    );
    for (const [table, key, value] of [
      ['emails', 'id', email.id],
      ['contacts', 'id', email.contactId],
      ['campaign_totals', 'campaign_id', mail.campaignId],
    ]) {
      await client.query(`update ${table} set ${column} = ${column} + 1 where ${key} = $1`, [value]);
    }
    await client.query('commit');
  } finally {
    client.release();
  }
}
