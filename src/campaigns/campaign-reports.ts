import { Injectable } from '@nestjs/common';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { Database, type Sql } from '../platform/database/database.js';
import { toPage, type Page, type PageRequest } from '../platform/http/paging.js';
import { CampaignNotFoundError } from './campaign-errors.js';
import { readCampaignLinks, type CampaignLinkClicks } from './campaign-links.js';
import { toCampaignView, type CampaignRow, type CampaignView } from './campaigns.js';
import { STATUS } from '../emails/email-status.js';
import { CAMPAIGN_FACTS, type CampaignFact } from '../emails/recipients/fact-rules.js';
import { bareAddress } from '../emails/mailbox.js';

/** Recipients that reached each fact, each once per email. */
export type RecipientStats = Readonly<Record<CampaignFact, number>>;

export interface CampaignStats extends RecipientStats {
  readonly totalEmails: number;
  readonly totalOpens: number;
  readonly totalClicks: number;
  /** Percentages with two decimals. */
  readonly openRate: number;
  readonly clickRate: number;
}

export interface CampaignEmail {
  readonly id: string;
  readonly trackingId: string;
  readonly recipient: string;
  readonly subject: string;
  readonly status: string;
  readonly createdAt: string;
  readonly opens: number;
  readonly clicks: number;
}

export interface CampaignDetail extends CampaignView {
  readonly archivedAt: string | null;
  readonly stats: CampaignStats;
  readonly links: readonly CampaignLinkClicks[];
  readonly emails: readonly CampaignEmail[];
}

interface EmailRow {
  id: string;
  tracking_id: string;
  to_addresses: string[];
  subject: string;
  status: string;
  created_at: Date;
  opens: string;
  clicks: string;
}

/** Campaign reports. Totals are sums of a few counters, never of a campaign's emails. */
@Injectable()
export class CampaignReports {
  constructor(private readonly database: Database) {}

  async list(organizationId: string, page: PageRequest): Promise<Page<CampaignView>> {
    const rows = await this.database.query<CampaignRow>(
      `select id, name, created_at, archived_at from campaigns
        where organization_id = $1 and archived_at is null and ($2::uuid is null or id < $2)
        order by id desc limit $3`,
      [organizationId, page.after?.[0] ?? null, page.limit + 1],
    );
    return toPage(rows, page.limit, toCampaignView, (row) => [row.id]);
  }

  /** @throws CampaignNotFoundError */
  async detail(
    organizationId: string,
    id: string,
    { emails: emailPage, links: linkPage }: { readonly emails: PageRequest; readonly links: PageRequest },
  ): Promise<{
    campaign: CampaignDetail;
    nextEmails: Page<CampaignEmail>['next'];
    nextLinks: Page<CampaignLinkClicks>['next'];
  }> {
    return this.database.snapshot(async (sql) => {
      const campaign = isUuid(id) ? await find(sql, organizationId, id) : undefined;
      if (!campaign) throw new CampaignNotFoundError();
      const links = await readCampaignLinks(sql, id, linkPage);
      const emails = await readEmails(sql, id, emailPage);
      return {
        campaign: {
          ...toCampaignView(campaign),
          archivedAt: campaign.archived_at?.toISOString() ?? null,
          stats: await readStats(sql, id),
          links: links.items,
          emails: emails.items,
        },
        nextEmails: emails.next,
        nextLinks: links.next,
      };
    });
  }
}

async function find(sql: Sql, organizationId: string, id: string): Promise<CampaignRow | undefined> {
  const [row] = await sql.query<CampaignRow>(
    'select id, name, created_at, archived_at from campaigns where organization_id = $1 and id = $2',
    [organizationId, id],
  );
  return row;
}

async function readStats(sql: Sql, campaignId: string): Promise<CampaignStats> {
  const counters = ['emails', 'opens', 'clicks', ...CAMPAIGN_FACTS] as const;
  const [row] = await sql.query<Record<(typeof counters)[number], string>>(
    `select ${counters.map((counter) => `coalesce(sum(${counter}), 0) as ${counter}`).join(', ')}
       from campaign_totals where campaign_id = $1`,
    [campaignId],
  );
  const [totalEmails, totalOpens, totalClicks] = [Number(row!.emails), Number(row!.opens), Number(row!.clicks)];
  return {
    totalEmails,
    totalOpens,
    totalClicks,
    openRate: percentage(totalOpens, totalEmails),
    clickRate: percentage(totalClicks, totalEmails),
    ...(Object.fromEntries(CAMPAIGN_FACTS.map((fact) => [fact, Number(row![fact])])) as RecipientStats),
  };
}

/** Limits the page before the joins. Otherwise joins in key order would read all newer rows. */
async function readEmails(sql: Sql, campaignId: string, page: PageRequest): Promise<Page<CampaignEmail>> {
  const rows = await sql.query<EmailRow>(
    `with page as materialized (
       select id, tracking_id, status, created_at, opens, clicks from emails
        where campaign_id = $1 and ($2::uuid is null or id < $2)
        order by id desc limit $3
     )
     select e.id, e.tracking_id, c.to_addresses, c.subject, ${STATUS} as status, e.created_at, e.opens, e.clicks
       from page e
       join email_contents c on c.email_id = e.id
       left join pending_emails p on p.email_id = e.id
      order by e.id desc`,
    [campaignId, page.after?.[0] ?? null, page.limit + 1],
  );
  return toPage(rows, page.limit, toCampaignEmail, (row) => [row.id]);
}

function toCampaignEmail(row: EmailRow): CampaignEmail {
  return {
    id: row.id,
    trackingId: row.tracking_id,
    recipient: row.to_addresses.map(bareAddress).join(', '),
    subject: row.subject,
    status: row.status,
    createdAt: row.created_at.toISOString(),
    opens: Number(row.opens),
    clicks: Number(row.clicks),
  };
}

function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 100;
}
