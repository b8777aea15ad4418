import {
  ENGAGEMENT_COLUMNS,
  HITS_BY_CLASS,
  toEmailEngagement,
  type EmailEngagement,
  type EmailEngagementRow,
} from './email-engagement.js';
import { STATUS } from '../email-status.js';

/** The fields of an email in lists and in the detail. */
export interface EmailView extends EmailEngagement {
  readonly id: string;
  readonly trackingId: string;
  readonly status: string;
  readonly subject: string;
  readonly campaign: string | null;
  readonly tags: string[];
  /** Why the last attempt failed; for a failed email, why it failed. */
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly sentAt: string | null;
}

export interface EmailViewRow extends EmailEngagementRow {
  id: string;
  tracking_id: string;
  status: string;
  subject: string;
  campaign: string | null;
  tags: string[] | null;
  last_error: string | null;
  created_at: Date;
  sent_at: Date | null;
}

/** The columns of `emails e` that a view needs. */
export const VIEW_SOURCE = `e.id, e.tracking_id, e.status, e.campaign_id, e.tags, e.last_error, e.created_at, e.sent_at, e.send_at,
  ${ENGAGEMENT_COLUMNS}`;

/** Selects an `EmailViewRow` from emails `e` with `VIEW_JOINS`. */
export const VIEW_COLUMNS = `e.id, e.tracking_id, ${STATUS} as status, c.subject, k.name as campaign, e.tags,
  coalesce(p.last_error, e.last_error) as last_error, e.created_at, e.sent_at, ${ENGAGEMENT_COLUMNS}, ${HITS_BY_CLASS}`;

export const VIEW_JOINS = `join email_contents c on c.email_id = e.id
  left join campaigns k on k.id = e.campaign_id
  left join pending_emails p on p.email_id = e.id`;

/** What a row of a list takes that can be long, as the `bytes` of `pageUpToBytes`; of `email_contents c`. */
export const LISTED_BYTES = `octet_length(c.subject) + octet_length(array_to_string(c.to_addresses, '')) as bytes`;

export function toEmailView(row: EmailViewRow): EmailView {
  return {
    id: row.id,
    trackingId: row.tracking_id,
    status: row.status,
    subject: row.subject,
    campaign: row.campaign,
    tags: row.tags ?? [],
    lastError: row.last_error,
    createdAt: row.created_at.toISOString(),
    sentAt: row.sent_at?.toISOString() ?? null,
    ...toEmailEngagement(row),
  };
}
