import { createHash } from 'node:crypto';
import type { SqlRunner } from '../database/database.js';

/** Records an email's tracked links in order, and makes each destination known to its campaign. */
export async function recordLinks(
  sql: SqlRunner,
  emailId: string,
  campaignId: string | null,
  urls: readonly string[],
): Promise<void> {
  if (urls.length === 0) return;
  await sql.prepared(
    'record-links',
    'insert into email_links (email_id, urls) values ($1, $2) on conflict (email_id) do nothing',
    [emailId, urls],
  );
  if (campaignId === null) return;
  const distinct = distinctLinks(urls);
  await sql.prepared(
    'record-campaign-links',
    `insert into campaign_links (campaign_id, url_hash, url)
     select $1, l.hash, l.url from unnest($2::bytea[], $3::text[]) with ordinality as l (hash, url, place)
      order by l.place
     on conflict (campaign_id, url_hash) do nothing`,
    [campaignId, distinct.map(({ hash }) => hash), distinct.map(({ url }) => url)],
  );
}

/** Each destination once, in key order, so that two emails of one campaign cannot block each other. */
export function distinctLinks(urls: readonly string[]): { url: string; hash: Buffer }[] {
  const distinct = [...new Set(urls)].map((url) => ({ url, hash: urlHash(url) }));
  return distinct.sort((a, b) => Buffer.compare(a.hash, b.hash));
}

/** Destinations can be longer than an index entry may be; their SHA-256 stands for them. */
export function urlHash(url: string): Buffer {
  return createHash('sha256').update(url).digest();
}
