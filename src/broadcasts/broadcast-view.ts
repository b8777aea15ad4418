import { WERE_ALL_SUPPRESSED } from '../emails/delivery/all-suppressed.js';
import type { CampaignStats } from '../campaigns/campaign-stats.js';
import type { BroadcastStatus } from './broadcast-status.js';

/** Progress of a broadcast. `total` is the sum of `queued`, `sent`, `failed`, `suppressed` and `canceled`. */
export interface BroadcastProgress {
  readonly total: number;
  readonly queued: number;
  readonly sent: number;
  readonly failed: number;
  readonly suppressed: number;
  readonly canceled: number;
  /** Emails per second of the last seconds; 0 unless it is sending. */
  readonly perSecond: number;
  /** Null unless the rate is known. */
  readonly etaSeconds: number | null;
}

export interface BroadcastView {
  readonly id: string;
  /** The ID of its message: each change of a draft stores a new one. */
  readonly version: string;
  readonly name: string;
  readonly status: BroadcastStatus;
  readonly from: string;
  readonly replyTo: string | null;
  readonly subject: string;
  readonly tags: readonly string[];
  readonly campaignId: string | null;
  readonly pace: number | null;
  readonly sendAt: string | null;
  /** Null unless the emails per day of its organization are used up. */
  readonly waitsUntil: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly progress: BroadcastProgress;
}

/** With the totals of its campaign; null before it has one. */
export interface BroadcastDetail extends BroadcastView {
  readonly stats: CampaignStats | null;
}

export interface BroadcastRow {
  id: string;
  message_id: string;
  name: string;
  status: BroadcastStatus;
  sender: string;
  reply_to: string | null;
  subject: string;
  tags: string[] | null;
  campaign_id: string | null;
  pace: number | null;
  send_at: Date | null;
  waits_until: Date | null;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
  recipients: string;
  suppressed: string;
  emails: string;
  canceled: string;
  pending: string;
  failed: string;
  suppressed_late: string;
  per_second: number;
}

/** A rate that no worker has measured lately is unknown. */
const RATE_AGE = `interval '15 s'`;

/** Columns of `BroadcastRow`, from `broadcasts b`. Counts only emails that are pending or failed. */
export const BROADCAST_COLUMNS = `
  b.id, b.message_id, b.name, b.status, b.sender, b.reply_to, m.subject, b.tags, b.campaign_id, b.pace, b.send_at, b.created_at,
  b.started_at, b.ended_at, b.recipients, b.suppressed, b.emails, b.canceled,
  case when b.status = 'sending' then b.waits_until end as waits_until,
  (select count(*) from pending_emails p where p.broadcast_id = b.id) as pending,
  (select count(*) from emails e where e.broadcast_id = b.id and e.failed_at is not null) as failed,
  (select count(*) from emails e where e.broadcast_id = b.id and e.failed_at is not null and ${WERE_ALL_SUPPRESSED}) as suppressed_late,
  case when b.status = 'sending' and b.measured_at > now() - ${RATE_AGE} then b.per_second else 0 end as per_second`;

export function toBroadcastView(row: BroadcastRow): BroadcastView {
  return {
    id: row.id,
    version: row.message_id,
    name: row.name,
    status: row.status,
    from: row.sender,
    replyTo: row.reply_to,
    subject: row.subject,
    tags: row.tags ?? [],
    campaignId: row.campaign_id,
    pace: row.pace,
    sendAt: row.send_at?.toISOString() ?? null,
    waitsUntil: row.waits_until?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    endedAt: row.ended_at?.toISOString() ?? null,
    progress: progressOf(row),
  };
}

function progressOf(row: BroadcastRow): BroadcastProgress {
  const [total, suppressed, emails] = [Number(row.recipients), Number(row.suppressed), Number(row.emails)];
  const [pending, failed] = [Number(row.pending), Number(row.failed)];
  const waiting = total - suppressed - emails;
  // Their email failed because its recipient was suppressed when a worker claimed it.
  const suppressedLate = Number(row.suppressed_late);
  const isCanceled = row.status === 'canceled';
  const queued = pending + (isCanceled ? 0 : waiting);
  const perSecond = Math.round(row.per_second * 10) / 10;
  return {
    total,
    queued,
    sent: emails - pending - failed - Number(row.canceled),
    failed: failed - suppressedLate,
    suppressed: suppressed + suppressedLate,
    canceled: Number(row.canceled) + (isCanceled ? waiting : 0),
    perSecond,
    etaSeconds: perSecond > 0 ? Math.ceil(queued / perSecond) : null,
  };
}
