import { Injectable } from '@nestjs/common';
import { CampaignNotFoundError } from '../../campaigns/campaign-errors.js';
import { isUuid } from '../../platform/clock/uuid-v7.js';
import { Database } from '../../platform/database/database.js';
import type { WaitingClient } from '../../rendering/fair-queue.js';
import { findEmail } from '../find-email.js';
import { EmailPreviews } from './email-preview.js';

/** Clicks on the link at one position of a message. */
export interface MappedLink {
  /** 0 for the first tracked link. In the HTML it leads to `#link-0`. */
  readonly position: number;
  readonly url: string;
  readonly clicks: number;
  /** Clicks by people. */
  readonly people: number;
  /** Emails in which it was clicked. */
  readonly unique: number;
  /** Emails in which people clicked it. */
  readonly uniquePeople: number;
  /** Its share of all clicks by people, from 0 to 1. */
  readonly share: number;
}

export interface ClickMap {
  /** The email whose HTML this is; null for a campaign without emails. */
  readonly emailId: string | null;
  /** Without the pixel. A tracked link leads to its position, every other link to `#`. */
  readonly html: string;
  /** How many emails were counted. */
  readonly emails: number;
  /** False when only the newest emails of a campaign were counted. */
  readonly isComplete: boolean;
  readonly links: readonly MappedLink[];
}

interface PositionRow {
  position: number;
  clicks: string;
  people: string;
  unique: string;
  unique_people: string;
}

interface ShownRow extends Record<string, unknown> {
  id: string;
  broadcast_id: string | null;
  emails: number;
}

/** Their clicks are counted in 0.1 s, or in half a second if many have more or fewer links than the shown one. */
const MAX_EMAILS = 20_000;

/**
 * The newest email with HTML, because neither the erasure of a recipient nor an email of text alone must hide the
 * clicks on all others; without any, the newest email. That of a broadcast is in its message, unless the body was
 * deleted. $1 campaign, $2 emails.
 */
const SHOWN = `
with newest as not materialized (
  select id, broadcast_id from emails where campaign_id = $1 order by id desc limit $2::int
), shown as (
  (select n.* from newest n join email_contents c on c.email_id = n.id
     left join broadcasts b on b.id = n.broadcast_id left join messages m on m.id = b.message_id
    where c.html <> '' or (c.variables is not null and m.html is not null) order by n.id desc limit 1)
  union all
  (select * from newest order by id desc limit 1)
)
select id, broadcast_id,
       (select count(*)::int from (select from emails where campaign_id = $1 limit $2::int + 1) counted) as emails
  from shown order by id limit 1`;

/**
 * The clicks in emails at the links of the shown one. In copies of it with as many links, a position means the same
 * link, whose destination may have variables. With more or fewer links, they count where they have the same destination
 * for the same time (first, second …). Other emails count where they have the same destination at the same position.
 * Reads the destinations of an email once, and not for each of its clicks: scanners follow all links. $1 the
 * destinations in the shown email.
 * @param emails SQL: their `id`, `clicks` and whether one `is_copy`
 */
const clicksIn = (emails: string): string => `
with counted as materialized (${emails}), clicked as materialized (
  select e.id, e.is_copy, u.urls, u.urls is not distinct from $1::text[]
         or e.is_copy and coalesce(cardinality(u.urls) = coalesce(cardinality($1::text[]), 0), true) as is_alike
    from counted e left join email_links u on u.email_id = e.id where e.clicks > 0
), shown as (
  select url, position::integer - 1 as position, row_number() over (partition by url order by position) as time
    from unnest($1::text[]) with ordinality as destinations (url, position)
), moved as (
  select c.id, k.position::integer - 1 as position, s.position as shown
    from clicked c cross join lateral (
      select url, position, row_number() over (partition by url order by position) as time
        from unnest(c.urls) with ordinality as links (url, position)
    ) k join shown s on s.url = k.url and case when c.is_copy then s.time = k.time else s.position = k.position - 1 end
   where not c.is_alike
), l as (
  select h.clicks, h.machine_clicks, h.position from clicked c join email_link_clicks h on h.email_id = c.id where c.is_alike
  union all
  select h.clicks, h.machine_clicks, m.shown
    from moved m join email_link_clicks h on h.email_id = m.id and h.position = m.position
)
select l.position, sum(l.clicks) as clicks, sum(l.clicks - l.machine_clicks) as people, count(*) as unique,
       count(*) filter (where l.clicks > l.machine_clicks) as unique_people
  from l group by l.position`;

/** $2 the shown email: when it was sent, other links may have been tracked than today. */
const OF_EMAIL = clicksIn('select id, true as is_copy, clicks from emails where id = $2');

/** $2 campaign, $3 emails, $4 the broadcast of the shown email or null. */
const OF_CAMPAIGN = clicksIn(`
  select id, broadcast_id = $4::uuid is true as is_copy, clicks from emails where campaign_id = $2 order by id desc limit $3`);

/** Shows which links of a message were clicked, on the message itself. */
@Injectable()
export class ClickMaps {
  constructor(
    private readonly database: Database,
    private readonly previews: EmailPreviews,
  ) {}

  /** By ID or tracking ID. @throws EmailNotFoundError, and as previews */
  async ofEmail(client: WaitingClient, idOrTrackingId: string): Promise<ClickMap> {
    const { id } = await findEmail(this.database, client.organizationId, idOrTrackingId);
    const { html, urls } = await this.previews.marked(client, id);
    const rows = await this.database.query<PositionRow>(OF_EMAIL, [urls, id]);
    return { emailId: id, html, emails: 1, isComplete: true, links: linksOf(urls, rows) };
  }

  /** Uses its newest email with HTML. @throws CampaignNotFoundError, and as previews when no body is left */
  async ofCampaign(client: WaitingClient, campaignId: string): Promise<ClickMap> {
    const { organizationId } = client;
    const [shown] = await this.database.inReadTurn(organizationId, async () => {
      await this.requireCampaign(organizationId, campaignId);
      return this.database.query<ShownRow>(SHOWN, [campaignId, MAX_EMAILS]);
    });
    if (!shown) return { emailId: null, html: '', emails: 0, isComplete: true, links: [] };
    const { html, urls } = await this.previews.marked(client, shown.id);
    const values = [urls, campaignId, MAX_EMAILS, shown.broadcast_id];
    const rows = await this.database.inReadTurn(organizationId, () =>
      this.database.query<PositionRow>(OF_CAMPAIGN, values),
    );
    return {
      emailId: shown.id,
      html,
      emails: Math.min(shown.emails, MAX_EMAILS),
      isComplete: shown.emails <= MAX_EMAILS,
      links: linksOf(urls, rows),
    };
  }

  private async requireCampaign(organizationId: string, id: string): Promise<void> {
    const [campaign] = isUuid(id)
      ? await this.database.query('select from campaigns where organization_id = $1 and id = $2', [organizationId, id])
      : [];
    if (!campaign) throw new CampaignNotFoundError();
  }
}

function linksOf(urls: readonly string[], rows: readonly PositionRow[]): MappedLink[] {
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  const all = rows.reduce((sum, { people }) => sum + Number(people), 0);
  return urls.map((url, position) => {
    const row = byPosition.get(position);
    const people = Number(row?.people ?? 0);
    return {
      position,
      url,
      clicks: Number(row?.clicks ?? 0),
      people,
      unique: Number(row?.unique ?? 0),
      uniquePeople: Number(row?.unique_people ?? 0),
      share: all === 0 ? 0 : Math.round((people / all) * 10_000) / 10_000,
    };
  });
}
