import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import { pixelUrlOf, trackedLinksOf, type TrackedLink } from '../../rendering/render-email.js';
import {
  ATTACHMENTS_OF_EMAIL,
  withoutDigest,
  type AttachmentView,
  type StoredAttachment,
} from '../attachments/attachment.js';
import { EmailNotFoundError } from '../email-errors.js';
import { idColumnOf } from '../email-id.sql.js';
import { STATUS } from '../email-status.js';
import { bareAddress } from '../mailbox.js';
import {
  ENGAGEMENT_COLUMNS,
  HITS_BY_CLASS,
  toEmailEngagement,
  type EmailEngagement,
  type EmailEngagementRow,
} from './email-engagement.js';
import { readRecipientViews, type RecipientView } from '../recipients/recipient-views.js';

/** A link, with its clicks and how many of them are by people. */
export interface ClickedLink extends TrackedLink {
  readonly clicks: number;
  readonly people: number;
}

export interface EmailDetail extends EmailEngagement {
  readonly id: string;
  readonly trackingId: string;
  readonly status: string;
  /** Null for a tracked email without a sender. */
  readonly from: string | null;
  readonly replyTo: string | null;
  readonly to: string[];
  readonly cc: string[];
  readonly bcc: string[];
  /** What became of each of them. */
  readonly recipients: RecipientView[];
  readonly subject: string;
  readonly campaign: string | null;
  readonly metadata: unknown;
  readonly tags: string[];
  /** Headers of the sender's own; null when there are none. */
  readonly headers: Record<string, string> | null;
  readonly attachments: AttachmentView[];
  readonly providerId: string | null;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly possibleDuplicate: boolean;
  readonly createdAt: string;
  readonly sentAt: string | null;
  readonly failedAt: string | null;
  readonly canceledAt: string | null;
  /** The time that its sender chose; null for at once. */
  readonly sendAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly pixelUrl: string;
  readonly links: ClickedLink[];
}

interface Row extends EmailEngagementRow {
  id: string;
  tracking_id: string;
  status: string;
  sender: string;
  reply_to: string | null;
  to_addresses: string[];
  cc_addresses: string[];
  bcc_addresses: string[];
  subject: string;
  campaign: string | null;
  metadata: unknown;
  tags: string[] | null;
  headers: Record<string, string> | null;
  attachments: StoredAttachment[] | null;
  provider_id: string | null;
  attempts: number;
  last_error: string | null;
  possible_duplicate: boolean;
  created_at: Date;
  sent_at: Date | null;
  failed_at: Date | null;
  canceled_at: Date | null;
  send_at: Date | null;
  next_attempt_at: Date | null;
  urls: string[] | null;
}

type LinkClicks = Pick<ClickedLink, 'clicks' | 'people'>;

/** Reads single emails. */
@Injectable()
export class EmailDetails {
  constructor(
    private readonly database: Database,
    private readonly keys: SigningKeyRing,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /** By ID or tracking ID. @throws EmailNotFoundError */
  async detail(organizationId: string, idOrTrackingId: string): Promise<EmailDetail> {
    return this.database.snapshot(async (sql) => {
      const row = await read(sql, organizationId, idOrTrackingId);
      return this.toDetail(row, await readRecipientViews(sql, row), await clicksByPosition(sql, row.id));
    });
  }

  private toDetail(row: Row, recipients: RecipientView[], clicks: ReadonlyMap<number, LinkClicks>): EmailDetail {
    const { BASE_URL } = this.settings;
    const links = trackedLinksOf(row.urls ?? [], row.tracking_id, BASE_URL, this.keys.current);
    return {
      id: row.id,
      trackingId: row.tracking_id,
      status: row.status,
      from: row.sender || null,
      replyTo: row.reply_to,
      to: row.to_addresses.map(bareAddress),
      cc: row.cc_addresses.map(bareAddress),
      bcc: row.bcc_addresses.map(bareAddress),
      recipients,
      subject: row.subject,
      campaign: row.campaign,
      metadata: row.metadata,
      tags: row.tags ?? [],
      headers: row.headers,
      attachments: (row.attachments ?? []).map(withoutDigest),
      providerId: row.provider_id,
      attempts: row.attempts,
      lastError: row.last_error,
      possibleDuplicate: row.possible_duplicate,
      createdAt: row.created_at.toISOString(),
      sentAt: row.sent_at?.toISOString() ?? null,
      failedAt: row.failed_at?.toISOString() ?? null,
      canceledAt: row.canceled_at?.toISOString() ?? null,
      sendAt: row.send_at?.toISOString() ?? null,
      nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
      ...toEmailEngagement(row),
      pixelUrl: pixelUrlOf(row.tracking_id, BASE_URL),
      links: links.map((link, position) => ({ ...link, ...(clicks.get(position) ?? { clicks: 0, people: 0 }) })),
    };
  }
}

/** @throws EmailNotFoundError */
async function read(sql: Sql, organizationId: string, idOrTrackingId: string): Promise<Row> {
  const [row] = await sql.query<Row>(
    `select e.id, e.tracking_id, ${STATUS} as status, c.sender, c.reply_to, c.to_addresses, c.cc_addresses, c.bcc_addresses,
            c.subject, k.name as campaign, c.metadata, e.tags, c.headers,
            ${ATTACHMENTS_OF_EMAIL} as attachments,
            coalesce(p.provider_id, e.provider_id) as provider_id,
            coalesce(p.attempts, e.attempts) as attempts, coalesce(p.last_error, e.last_error) as last_error,
            coalesce(p.possible_duplicate, e.possible_duplicate) as possible_duplicate,
            e.created_at, e.sent_at, e.failed_at, e.canceled_at, e.send_at, p.due_at as next_attempt_at, l.urls,
            ${ENGAGEMENT_COLUMNS}, ${HITS_BY_CLASS}
       from emails e
       join email_contents c on c.email_id = e.id
       left join campaigns k on k.id = e.campaign_id
       left join email_links l on l.email_id = e.id
       left join pending_emails p on p.email_id = e.id
      where e.organization_id = $1 and ${idColumnOf(idOrTrackingId)} = $2`,
    [organizationId, idOrTrackingId],
  );
  if (!row) throw new EmailNotFoundError();
  return row;
}

async function clicksByPosition(sql: Sql, emailId: string): Promise<ReadonlyMap<number, LinkClicks>> {
  const rows = await sql.query<{ position: number; clicks: string; people: string }>(
    'select position, clicks, clicks - machine_clicks as people from email_link_clicks where email_id = $1',
    [emailId],
  );
  return new Map(rows.map((row) => [row.position, { clicks: Number(row.clicks), people: Number(row.people) }]));
}
