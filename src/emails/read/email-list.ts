import { Injectable } from '@nestjs/common';
import { Campaigns } from '../../campaigns/campaigns.js';
import { Database } from '../../platform/database/database.js';
import { toPage, type Page, type PageRequest } from '../../platform/http/paging.js';
import {
  ENGAGEMENT_COLUMNS,
  HITS_BY_CLASS,
  toEmailEngagement,
  type EmailEngagement,
  type EmailEngagementRow,
} from './email-engagement.js';
import type { EmailFilter } from './email-filter.js';
import { STATUS } from '../email-status.js';
import { addressKey, bareAddress } from '../mailbox.js';

export interface EmailSummary extends EmailEngagement {
  readonly id: string;
  readonly trackingId: string;
  readonly status: string;
  /** The addresses of `to`, joined by ", ". */
  readonly recipient: string;
  readonly subject: string;
  readonly campaign: string | null;
  readonly tags: string[];
  /** Why the last attempt failed; for a failed email, why it failed. */
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly sentAt: string | null;
}

interface Row extends EmailEngagementRow {
  id: string;
  tracking_id: string;
  status: string;
  to_addresses: string[];
  subject: string;
  campaign: string | null;
  tags: string[] | null;
  last_error: string | null;
  created_at: Date;
  sent_at: Date | null;
}

/** Each condition has an index: few emails are pending, failed or tracked. */
const hasStatus: Record<NonNullable<EmailFilter['status']>, string> = {
  queued: 'e.id in (select email_id from pending_emails where organization_id = $1 and lease_token is null)',
  sending: 'e.id in (select email_id from pending_emails where organization_id = $1 and lease_token is not null)',
  sent: "e.status = 'sent'",
  failed: 'e.failed_at is not null',
  tracked: 'e.tracked',
  canceled: 'e.canceled_at is not null',
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
    // Only the requested conditions, so that each combination uses its own index.
    if (filter.status !== undefined) conditions.push(hasStatus[filter.status]);
    if (filter.campaignId !== undefined) {
      const campaignId = await this.campaigns.idOf(organizationId, filter.campaignId);
      if (campaignId === undefined) return { items: [] };
      conditions.push(`e.campaign_id = ${add(campaignId)}`);
    }
    const before = page.after && add(page.after[0]);
    if (before) conditions.push(`e.id < ${before}`);
    let source = `emails e where ${conditions.join(' and ')} order by e.id desc`;
    if (filter.recipient !== undefined) {
      const contactId = await this.contactIdOf(organizationId, filter.recipient);
      if (contactId === undefined) return { items: [] };
      const ofContact = `m.contact_id = ${add(contactId)}${before ? ` and m.email_id < ${before}` : ''}`;
      source = `contact_emails m ${lookUpEach(conditions)} where ${ofContact} order by m.email_id desc`;
    }
    const rows = await this.database.query<Row>(pageOf(source, add(page.limit + 1)), values);
    return toPage(rows, page.limit, toSummary, (row) => [row.id]);
  }

  private async contactIdOf(organizationId: string, address: string): Promise<string | undefined> {
    const [contact] = await this.database.query<{ id: string }>(
      'select id from contacts where organization_id = $1 and address_key = $2',
      [organizationId, addressKey(address)],
    );
    return contact?.id;
  }
}

/** Looks up each email of the contact, newest first, to avoid a scan of the campaign or organization. */
function lookUpEach(conditions: readonly string[]): string {
  return `cross join lateral (select * from emails e where e.id = m.email_id and ${conditions.join(' and ')} limit 1) e`;
}

/** Limits the page before the joins: joins in key order would scan all newer rows. */
function pageOf(source: string, limit: string): string {
  return `
    with page as materialized (
      select e.id, e.tracking_id, e.status, e.campaign_id, e.tags, e.last_error, e.created_at, e.sent_at,
             ${ENGAGEMENT_COLUMNS}
        from ${source} limit ${limit}
    )
    select e.id, e.tracking_id, ${STATUS} as status, c.to_addresses, c.subject, k.name as campaign, e.tags,
           coalesce(p.last_error, e.last_error) as last_error, e.created_at, e.sent_at,
           ${ENGAGEMENT_COLUMNS}, ${HITS_BY_CLASS}
      from page e
      join email_contents c on c.email_id = e.id
      left join campaigns k on k.id = e.campaign_id
      left join pending_emails p on p.email_id = e.id
     order by e.id desc`;
}

function toSummary(row: Row): EmailSummary {
  return {
    id: row.id,
    trackingId: row.tracking_id,
    status: row.status,
    recipient: row.to_addresses.map(bareAddress).join(', '),
    subject: row.subject,
    campaign: row.campaign,
    tags: row.tags ?? [],
    lastError: row.last_error,
    createdAt: row.created_at.toISOString(),
    sentAt: row.sent_at?.toISOString() ?? null,
    ...toEmailEngagement(row),
  };
}
