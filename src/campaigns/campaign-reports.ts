import { Injectable } from '@nestjs/common';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { Database, type Sql } from '../platform/database/database.js';
import { IN_PAGE, pageByName } from '../platform/http/page-by-name.js';
import { pageUpToBytes, toPageUpToBytes, type RowUpToBytes } from '../platform/http/page-up-to-bytes.sql.js';
import { toPage, type Page, type PageRequest } from '../platform/http/paging.js';
import { CampaignNotFoundError } from './campaign-errors.js';
import { readCampaignLinks, type CampaignLinkClicks } from './campaign-links.js';
import { readCampaignStats, type CampaignStats } from './campaign-stats.js';
import { toCampaignView, type CampaignRow, type CampaignView } from './campaigns.js';
import { STATUS } from '../emails/email-status.js';
import { LISTED_BYTES } from '../emails/read/email-view.js';
import { ENGAGEMENT_COLUMNS, toEmailHits, type EmailHits, type EmailHitsRow } from '../emails/read/email-engagement.js';
import { bareAddress } from '../emails/mailbox.js';
import {
  RECIPIENT_COUNTS,
  toRecipientCounts,
  type RecipientCounts,
  type RecipientCountsRow,
} from '../emails/recipients/recipient-counts.js';

export interface CampaignEmail extends EmailHits {
  readonly id: string;
  readonly trackingId: string;
  readonly recipient: string;
  readonly subject: string;
  readonly status: string;
  readonly recipientStates: RecipientCounts;
  readonly createdAt: string;
}

export interface CampaignDetail extends CampaignView {
  readonly archivedAt: string | null;
  readonly stats: CampaignStats;
  readonly links: readonly CampaignLinkClicks[];
  readonly emails: readonly CampaignEmail[];
}

interface EmailRow extends EmailHitsRow, RecipientCountsRow, RowUpToBytes {
  id: string;
  tracking_id: string;
  to_addresses: string[];
  subject: string;
  status: string;
  created_at: Date;
}

export interface CampaignFilter {
  /** Part of the name, ignoring case; may be empty. */
  readonly search: string;
  /** True for archived campaigns only, false for active ones only. */
  readonly isArchived: boolean;
}

const ACTIVE = `(select * from campaigns where archived_at is null) listed`;
const ARCHIVED = `(select * from campaigns where archived_at is not null) listed`;

/** $1 organization, $2 last ID of the page before, $3 rows, $4 null or the only IDs. */
const listFrom = (campaigns: string): string => `
select id, name, created_at, archived_at from ${campaigns}
 where ${IN_PAGE} and ($4::uuid[] is null or id = any($4))
 order by organization_id desc, id desc limit $3`;

/** Campaign reports. Totals are sums of a few counter rows, never of all emails of a campaign. */
@Injectable()
export class CampaignReports {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async list(
    organizationId: string,
    { search, isArchived }: CampaignFilter,
    page: PageRequest,
  ): Promise<Page<CampaignView>> {
    const table = isArchived ? ARCHIVED : ACTIVE;
    const names = { table, organizationId, search };
    return this.database.inReadTurn(organizationId, () =>
      pageByName(this.database, names, page, async (ids) => {
        const values = [organizationId, page.after?.[0] ?? null, page.limit + 1, ids];
        const rows = await this.database.query<CampaignRow>(listFrom(table), values);
        return toPage(rows, page.limit, toCampaignView, (row) => [row.id]);
      }),
    );
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
    return this.database.snapshotOf(organizationId, async (sql) => {
      const campaign = isUuid(id) ? await find(sql, organizationId, id) : undefined;
      if (!campaign) throw new CampaignNotFoundError();
      const links = await readCampaignLinks(sql, id, linkPage);
      const emails = await readEmails(sql, id, emailPage);
      return {
        campaign: {
          ...toCampaignView(campaign),
          archivedAt: campaign.archived_at?.toISOString() ?? null,
          stats: await readCampaignStats(sql, id),
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

/**
 * $1 campaign, $2 last ID of the page before, $3 rows. Limits the page before the joins, as the list of emails does.
 */
const EMAILS = pageUpToBytes(
  `with page as materialized (
     select e.id, e.tracking_id, e.status, e.created_at, e.send_at, ${ENGAGEMENT_COLUMNS} from emails e
      where e.campaign_id = $1 and ($2::uuid is null or e.id < $2)
      order by e.id desc limit $3
   )
   select e.id, e.tracking_id, c.to_addresses, c.subject, ${STATUS} as status, e.created_at,
          ${ENGAGEMENT_COLUMNS}, ${RECIPIENT_COUNTS}, ${LISTED_BYTES}
     from page e
     join email_contents c on c.email_id = e.id
     left join pending_emails p on p.email_id = e.id`,
  'id desc',
);

async function readEmails(sql: Sql, campaignId: string, page: PageRequest): Promise<Page<CampaignEmail>> {
  const rows = await sql.query<EmailRow & Record<string, unknown>>(EMAILS, [
    campaignId,
    page.after?.[0] ?? null,
    page.limit + 1,
  ]);
  return toPageUpToBytes(rows, page.limit, toCampaignEmail, (row) => [row.id]);
}

function toCampaignEmail(row: EmailRow): CampaignEmail {
  return {
    id: row.id,
    trackingId: row.tracking_id,
    recipient: row.to_addresses.map(bareAddress).join(', '),
    subject: row.subject,
    status: row.status,
    recipientStates: toRecipientCounts(row.status, row),
    createdAt: row.created_at.toISOString(),
    ...toEmailHits(row),
  };
}
