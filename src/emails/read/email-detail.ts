import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { TRACKING_BASE_URL } from '../../domains/tracking/base-url.sql.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import { pixelUrlOf, trackedLinksOf, type TrackedLink } from '../../rendering/render-email.js';
import {
  ATTACHMENTS_OF_EMAIL,
  withoutDigest,
  type AttachmentView,
  type StoredAttachment,
} from '../attachments/attachment.js';
import { DUE_AT } from '../dispatch/parked-email.sql.js';
import { findEmail } from '../find-email.js';
import { bareAddress } from '../mailbox.js';
import { toEmailView, VIEW_COLUMNS, VIEW_JOINS, type EmailView, type EmailViewRow } from './email-view.js';
import { readRecipientViews, type RecipientView } from '../recipients/recipient-views.js';

/** A link with all its clicks, and those by people. */
export interface ClickedLink extends TrackedLink {
  readonly clicks: number;
  readonly people: number;
}

export interface EmailDetail extends EmailView {
  /** Null for a tracked email without a sender. */
  readonly from: string | null;
  readonly replyTo: string | null;
  readonly to: string[];
  readonly cc: string[];
  readonly bcc: string[];
  /** The state of each of them. */
  readonly recipients: RecipientView[];
  readonly metadata: unknown;
  /** Custom headers of the sender; null when there are none. */
  readonly headers: Record<string, string> | null;
  readonly attachments: AttachmentView[];
  readonly providerId: string | null;
  readonly attempts: number;
  readonly possibleDuplicate: boolean;
  readonly failedAt: string | null;
  readonly canceledAt: string | null;
  /** The scheduled time; null for at once. */
  readonly sendAt: string | null;
  /** Null while its broadcast is paused, or while the organization's own providers refuse its credentials. */
  readonly nextAttemptAt: string | null;
  readonly pixelUrl: string;
  readonly links: ClickedLink[];
}

interface Row extends EmailViewRow {
  sender: string;
  reply_to: string | null;
  to_addresses: string[];
  cc_addresses: string[];
  bcc_addresses: string[];
  metadata: unknown;
  headers: Record<string, string> | null;
  attachments: StoredAttachment[] | null;
  provider_id: string | null;
  attempts: number;
  possible_duplicate: boolean;
  failed_at: Date | null;
  canceled_at: Date | null;
  send_at: Date | null;
  next_attempt_at: Date | null;
  urls: string[] | null;
  base_url: string | null;
}

type LinkClicks = Pick<ClickedLink, 'clicks' | 'people'>;

const EMAIL = `
select ${VIEW_COLUMNS}, c.sender, c.reply_to, c.to_addresses, c.cc_addresses, c.bcc_addresses, c.metadata, c.headers,
       ${ATTACHMENTS_OF_EMAIL} as attachments,
       coalesce(p.provider_id, e.provider_id) as provider_id, coalesce(p.attempts, e.attempts) as attempts,
       coalesce(p.possible_duplicate, e.possible_duplicate) as possible_duplicate,
       e.failed_at, e.canceled_at, e.send_at, ${DUE_AT} as next_attempt_at, l.urls, ${TRACKING_BASE_URL} as base_url
  from emails e ${VIEW_JOINS}
  left join email_links l on l.email_id = e.id`;

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
    const { row, recipients, clicks } = await this.database.snapshotOf(organizationId, async (sql) => {
      const row = await findEmail<Row>(sql, organizationId, idOrTrackingId, EMAIL);
      return { row, recipients: await readRecipientViews(sql, row), clicks: await clicksByPosition(sql, row.id) };
    });
    return this.toDetail(row, recipients, clicks);
  }

  private toDetail(row: Row, recipients: RecipientView[], clicks: ReadonlyMap<number, LinkClicks>): EmailDetail {
    const baseUrl = row.base_url ?? this.settings.BASE_URL;
    const links = trackedLinksOf(row.urls ?? [], row.tracking_id, baseUrl, this.keys.current);
    return {
      ...toEmailView(row),
      from: row.sender || null,
      replyTo: row.reply_to,
      to: row.to_addresses.map(bareAddress),
      cc: row.cc_addresses.map(bareAddress),
      bcc: row.bcc_addresses.map(bareAddress),
      recipients,
      metadata: row.metadata,
      headers: row.headers,
      attachments: (row.attachments ?? []).map(withoutDigest),
      providerId: row.provider_id,
      attempts: row.attempts,
      possibleDuplicate: row.possible_duplicate,
      failedAt: row.failed_at?.toISOString() ?? null,
      canceledAt: row.canceled_at?.toISOString() ?? null,
      sendAt: row.send_at?.toISOString() ?? null,
      nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
      pixelUrl: pixelUrlOf(row.tracking_id, baseUrl),
      links: links.map((link, position) => ({ ...link, ...(clicks.get(position) ?? { clicks: 0, people: 0 }) })),
    };
  }
}

async function clicksByPosition(sql: Sql, emailId: string): Promise<ReadonlyMap<number, LinkClicks>> {
  const rows = await sql.query<{ position: number; clicks: string; people: string }>(
    'select position, clicks, clicks - machine_clicks as people from email_link_clicks where email_id = $1',
    [emailId],
  );
  return new Map(rows.map((row) => [row.position, { clicks: Number(row.clicks), people: Number(row.people) }]));
}
