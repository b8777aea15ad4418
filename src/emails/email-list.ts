import { Injectable } from '@nestjs/common';
import { Campaigns } from '../campaigns/campaigns.js';
import { Database } from '../database/database.js';
import { toPage, type Page, type PageRequest } from '../http/paging.js';
import type { EmailFilter } from './email-filter.js';
import { STATUS } from './email-status.js';
import { addressKey, bareAddress } from './mailbox.js';

export interface EmailSummary {
  readonly id: string;
  readonly trackingId: string;
  readonly status: string;
  /** The addresses of `to`, joined by ", ". */
  readonly recipient: string;
  readonly subject: string;
  readonly campaign: string | null;
  /** Why the last attempt failed; of a failed email, why it did. */
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly sentAt: string | null;
  readonly opens: number;
  readonly clicks: number;
}

interface Row {
  id: string;
  tracking_id: string;
  status: string;
  to_addresses: string[];
  subject: string;
  campaign: string | null;
  last_error: string | null;
  created_at: Date;
  sent_at: Date | null;
  opens: string;
  clicks: string;
}

/** Each by what is quick to look up: few are pending, failed or tracked among all that were sent. */
const hasStatus: Record<NonNullable<EmailFilter['status']>, string> = {
  queued: 'p.email_id is not null and p.lease_token is null',
  sending: 'p.lease_token is not null',
  sent: "e.status = 'sent'",
  failed: 'e.failed_at is not null',
  tracked: 'e.tracked',
};

/** The emails of an organization, newest first. */
@Injectable()
export class EmailList {
  constructor(
    private readonly database: Database,
    private readonly campaigns: Campaigns,
  ) {}

  async list(organizationId: string, filter: EmailFilter, page: PageRequest): Promise<Page<EmailSummary>> {
    const values: unknown[] = [organizationId];
    const add = (value: unknown): string => `$${values.push(value)}`;
    const conditions = ['e.organization_id = $1'];
    // Only the conditions that are asked for, so that each combination finds its own index.
    if (filter.status !== undefined) conditions.push(hasStatus[filter.status]);
    if (filter.campaignId !== undefined) {
      const campaignId = await this.campaigns.idOf(organizationId, filter.campaignId);
      if (campaignId === undefined) return { items: [] };
      conditions.push(`e.campaign_id = ${add(campaignId)}`);
    }
    if (filter.recipient !== undefined) {
      conditions.push(`e.id in (select m.email_id from contact_emails m join contacts c on c.id = m.contact_id
        where c.organization_id = $1 and c.address_key = ${add(addressKey(filter.recipient))})`);
    }
    if (page.after) conditions.push(`e.id < ${add(page.after[0])}`);
    const rows = await this.database.query<Row>(
      `select e.id, e.tracking_id, ${STATUS} as status, c.to_addresses, c.subject, k.name as campaign,
              coalesce(p.last_error, e.last_error) as last_error,
              e.created_at, e.sent_at, e.opens, e.clicks
         from emails e
         join email_contents c on c.email_id = e.id
         left join campaigns k on k.id = e.campaign_id
         left join pending_emails p on p.email_id = e.id
        where ${conditions.join(' and ')}
        order by e.id desc limit ${add(page.limit + 1)}`,
      values,
    );
    return toPage(rows, page.limit, toSummary, (row) => [row.id]);
  }
}

function toSummary(row: Row): EmailSummary {
  return {
    id: row.id,
    trackingId: row.tracking_id,
    status: row.status,
    recipient: row.to_addresses.map(bareAddress).join(', '),
    subject: row.subject,
    campaign: row.campaign,
    lastError: row.last_error,
    createdAt: row.created_at.toISOString(),
    sentAt: row.sent_at?.toISOString() ?? null,
    opens: Number(row.opens),
    clicks: Number(row.clicks),
  };
}
