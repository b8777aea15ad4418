import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import process from 'node:process';
import pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { Database } from '../../dist/platform/database/database.js';
import { ensureEventPartitions } from '../../dist/events/event-partitions.js';
import { storeSentMail } from './sent-mail.mjs';
import { timeStores } from './timed-stores.mjs';

// The limit: copies rows that are in memory, resolved and known to be new, and sums up their counters by hand. It
// stores the same rows, including the last activity of contacts, in a table with the same partitions.
const BATCH = 5_000;
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const mail = await storeSentMail(new Database(pool));
await ensureEventPartitions(new Database(pool), new Date());
const client = await pool.connect();

timeStores(mail, store);

async function store(events) {
  for (let at = 0; at < events.length; at += BATCH) await storeBatch(events.slice(at, at + BATCH));
}

async function storeBatch(events) {
  await client.query('begin');
  const columns = 'id, ordinal, occurred_at, type, email_id, contact_id, link_position, url';
  const now = new Date().toISOString();
  const lines = events.map(({ id, type, email, linkPosition = '\\N', url = '\\N' }) =>
    [id, 1, now, type, email.id, email.contactId, linkPosition, url].join('\t'),
  );
  await pipeline(
    Readable.from([`${lines.join('\n')}\n`]),
    client.query(copyStreams.from(`copy events (${columns}) from stdin`)),
  );
  await count(events);
  await client.query('commit');
}

async function count(events) {
  const clicked = events.filter(({ type }) => type === 'clicked');
  const opened = events.filter(({ type }) => type === 'opened');
  const tally = (list, keyOf) => {
    const counts = new Map();
    for (const event of list) counts.set(keyOf(event), (counts.get(keyOf(event)) ?? 0) + 1);
    return [[...counts.keys()], [...counts.values()]];
  };
  for (const [column, list] of [
    ['opens', opened],
    ['clicks', clicked],
  ]) {
    for (const [table, keyOf, type, more] of [
      ['emails', ({ email }) => email.id, 'uuid', ''],
      ['contacts', ({ email }) => email.contactId, 'bigint', ', last_activity_at = greatest(last_activity_at, now())'],
    ]) {
      await client.query(
        `update ${table} t set ${column} = ${column} + c.count${more} from unnest($1::${type}[], $2::bigint[]) c (id, count) where t.id = c.id`,
        tally(list, keyOf),
      );
    }
  }
  const [links, clicks] = tally(clicked, ({ email, linkPosition }) => `${email.id} ${linkPosition}`);
  await client.query(
    `insert into email_link_clicks (email_id, position, clicks) select * from unnest($1::uuid[], $2::int[], $3::bigint[])
     on conflict (email_id, position) do update set clicks = email_link_clicks.clicks + excluded.clicks`,
    [links.map((key) => key.split(' ')[0]), links.map((key) => Number(key.split(' ')[1])), clicks],
  );
  const [urls, perUrl] = tally(clicked, ({ url }) => url);
  await client.query(
    `insert into campaign_links (campaign_id, url_hash, url, clicks) select $1, * from unnest($2::bytea[], $3::text[], $4::bigint[])
     on conflict (campaign_id, url_hash) do update set clicks = campaign_links.clicks + excluded.clicks`,
    [mail.campaignId, urls.map((url) => createHash('sha256').update(url).digest()), urls, perUrl],
  );
  await client.query(
    `insert into campaign_totals (campaign_id, shard, opens, clicks) values ($1, -1, $2, $3)
     on conflict (campaign_id, shard) do update set opens = campaign_totals.opens + excluded.opens, clicks = campaign_totals.clicks + excluded.clicks`,
    [mail.campaignId, opened.length, clicked.length],
  );
}
