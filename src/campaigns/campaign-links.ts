import type { Sql } from '../platform/database/database.js';
import { pageUpToBytes, toPageUpToBytes, type RowUpToBytes } from '../platform/http/page-up-to-bytes.sql.js';
import type { Page, PageRequest } from '../platform/http/paging.js';

export interface CampaignLinkClicks {
  readonly url: string;
  readonly clicks: number;
  /** Clicks by people. */
  readonly people: number;
}

interface LinkRow extends RowUpToBytes {
  url_hash: Buffer;
  url: string;
  clicks: string;
  machine_clicks: string;
}

/** $1 campaign, $2 clicks and $3 hash of the last link of the previous page, $4 maximum number of links. */
const READ = pageUpToBytes(
  `select url_hash, url, clicks, machine_clicks, octet_length(url) as bytes from campaign_links
    where campaign_id = $1 and ($2::bigint is null or (clicks, url_hash) < ($2, decode($3, 'hex')))
    order by clicks desc, url_hash desc limit $4`,
  'clicks desc, url_hash desc',
);

/** Reads the links of a campaign, most clicked first. Paginated, because each recipient may have different links. */
export async function readCampaignLinks(
  sql: Sql,
  campaignId: string,
  { limit, after }: PageRequest,
): Promise<Page<CampaignLinkClicks>> {
  const rows = await sql.query<LinkRow>(READ, [campaignId, after?.[0] ?? null, after?.[1] ?? null, limit + 1]);
  const page = toPageUpToBytes(rows, limit, toLink, ({ clicks, url_hash }) => [clicks, url_hash.toString('hex')]);
  return { ...page, items: [...page.items].sort(byClicksThenUrl) };
}

function toLink({ url, clicks, machine_clicks }: LinkRow): CampaignLinkClicks {
  return { url, clicks: Number(clicks), people: Number(clicks) - Number(machine_clicks) };
}

/** Within a page, links with the same number of clicks are sorted by URL. */
function byClicksThenUrl(one: CampaignLinkClicks, other: CampaignLinkClicks): number {
  return other.clicks - one.clicks || (one.url < other.url ? -1 : 1);
}
