import type { Sql } from '../platform/database/database.js';
import type { Page, PageRequest } from '../platform/http/paging.js';

export interface CampaignLinkClicks {
  readonly url: string;
  readonly clicks: number;
  /** Clicks by people. */
  readonly people: number;
}

interface LinkRow {
  hash: string;
  url: string;
  clicks: string;
  machine_clicks: string;
  found: number;
}

/** Needed because a URL may have 8 KB and a page 1,000 links. */
const MAX_PAGE_BYTES = 1_000_000;

/** $1 campaign, $2 clicks and $3 hash of the last link of the previous page, $4 maximum number of links. */
const READ = `
with page as materialized (
  select url_hash, url, clicks, machine_clicks from campaign_links
   where campaign_id = $1 and ($2::bigint is null or (clicks, url_hash) < ($2, decode($3, 'hex')))
   order by clicks desc, url_hash desc limit $4
)
select encode(url_hash, 'hex') as hash, url, clicks, machine_clicks, found from (
  select *, count(*) over ()::int as found,
         sum(octet_length(url)) over (order by clicks desc, url_hash desc) as bytes from page
) counted where bytes <= ${MAX_PAGE_BYTES}
order by clicks desc, url_hash desc`;

/** Reads the links of a campaign, most clicked first. Paginated, because each recipient may have different links. */
export async function readCampaignLinks(
  sql: Sql,
  campaignId: string,
  { limit, after }: PageRequest,
): Promise<Page<CampaignLinkClicks>> {
  const rows = await sql.query<LinkRow>(READ, [campaignId, after?.[0] ?? null, after?.[1] ?? null, limit + 1]);
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  const items = kept.map(toLink).sort(byClicksThenUrl);
  return { items, ...(last && last.found > kept.length && { next: [last.clicks, last.hash] }) };
}

function toLink({ url, clicks, machine_clicks }: LinkRow): CampaignLinkClicks {
  return { url, clicks: Number(clicks), people: Number(clicks) - Number(machine_clicks) };
}

/** Within a page, links with the same number of clicks are sorted by URL. */
function byClicksThenUrl(one: CampaignLinkClicks, other: CampaignLinkClicks): number {
  return other.clicks - one.clicks || (one.url < other.url ? -1 : 1);
}
