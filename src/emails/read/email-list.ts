import { Inject, Injectable } from '@nestjs/common';
import { ContactSearch } from '../../contacts/contact-search.js';
import { Campaigns } from '../../campaigns/campaigns.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
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
import { listStatement } from './list-statement.js';
import { STATUS } from '../email-status.js';
import { addressKey, bareAddress } from '../mailbox.js';
import { senderKey } from '../sender-key.js';

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

/** The contacts that a search finds, most recent activity first. */
const MAX_CONTACTS = 100;

/** The emails of an organization, newest first. */
@Injectable()
export class EmailList {
  constructor(
    private readonly database: Database,
    private readonly campaigns: Campaigns,
    private readonly contacts: ContactSearch,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** A page of a filter that few emails match ends before its limit, so that it never takes long. */
  async list(organizationId: string, filter: EmailFilter, page: PageRequest): Promise<Page<EmailSummary>> {
    const ids = await this.idsOf(organizationId, filter);
    if (ids === undefined) return { items: [] };
    const { PLATFORM_SENDING_DOMAIN } = this.settings;
    const sender =
      filter.from === undefined ? undefined : senderKey(organizationId, filter.from, PLATFORM_SENDING_DOMAIN);
    const search = filter.search === undefined ? undefined : await this.searchFor(organizationId, filter.search);
    const statement = listStatement({ organizationId, ...filter, ...ids, sender, search }, page);
    const rows = await this.database.query<Row>(pageOf(statement.source), statement.values);
    const found = toPage(rows, page.limit, toSummary, (row) => [row.id]);
    if (found.next !== undefined || !statement.end) return found;
    const [last] = await this.database.query<{ id: string }>(statement.end.sql, statement.end.values);
    return last ? { ...found, next: [last.id] } : found;
  }

  /** The IDs of what the filter names; undefined when there is no such campaign or contact. */
  private async idsOf(
    organizationId: string,
    { campaignId: campaign, recipient }: EmailFilter,
  ): Promise<{ campaignId: string | undefined; contactId: string | undefined } | undefined> {
    const campaignId = campaign === undefined ? undefined : await this.campaigns.idOf(organizationId, campaign);
    const contactId = recipient === undefined ? undefined : await this.contactIdOf(organizationId, recipient);
    const isUnknown = (campaign !== undefined && !campaignId) || (recipient !== undefined && !contactId);
    return isUnknown ? undefined : { campaignId, contactId };
  }

  private async searchFor(organizationId: string, text: string): Promise<{ text: string; contactIds: string[] }> {
    return { text, contactIds: await this.contacts.find(organizationId, text, { limit: MAX_CONTACTS - 1 }) };
  }

  private async contactIdOf(organizationId: string, address: string): Promise<string | undefined> {
    const [contact] = await this.database.query<{ id: string }>(
      'select id from contacts where organization_id = $1 and address_key = $2',
      [organizationId, addressKey(address)],
    );
    return contact?.id;
  }
}

/** Limits the page before the joins: joins in key order would scan all newer rows. */
function pageOf(source: string): string {
  return `
    with page as materialized (
      select e.id, e.tracking_id, e.status, e.campaign_id, e.tags, e.last_error, e.created_at, e.sent_at, e.send_at,
             ${ENGAGEMENT_COLUMNS}
        from ${source}
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
