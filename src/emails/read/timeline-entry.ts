import type { BounceKind } from '../../events/recipient-event.js';
import { verdictOf, type EngagementClass, type Verdict } from '../../events/verdict.js';
import type { TimelineRow } from './timeline-statement.js';

/** A webhook delivery, with its last attempt. */
export interface TimelineWebhook {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly event: string;
  readonly status: string;
  readonly attempts: number;
  readonly responseStatus: number | null;
  readonly error: string | null;
  readonly answer: string | null;
}

/** Types of entries about the email itself. The others are facts about a recipient, see `RECIPIENT_FACTS`. */
export const EMAIL_ENTRIES = [
  'accepted',
  'scheduled',
  'attempted',
  'sent',
  'canceled',
  'opened',
  'clicked',
  'refused',
  'webhook',
] as const;

/** Something that happened to an email. Fields that do not apply are absent. */
export interface TimelineEntry {
  readonly type: string;
  readonly at: string;
  readonly recipient?: string;
  /** Only for opens and clicks, see `Verdict`. */
  readonly class?: EngagementClass;
  readonly certainty?: Verdict['certainty'];
  /** Words of the provider or server; of an open or click, the reason of its class. */
  readonly reason?: string;
  readonly smtpStatus?: string;
  readonly bounce?: BounceKind;
  readonly link?: string;
  readonly webhook?: TimelineWebhook;
}

/** @param spelling of addresses by their keys */
export function toTimelineEntry(row: TimelineRow, spelling: ReadonlyMap<string, string>): TimelineEntry {
  return {
    type: row.type,
    at: row.at.toISOString(),
    ...(row.recipient !== null && { recipient: spelling.get(row.recipient) ?? row.recipient }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.smtp_status !== null && { smtpStatus: row.smtp_status }),
    ...(row.bounce !== null && { bounce: row.bounce }),
    ...(row.link !== null && { link: row.link }),
    ...(row.verdict !== null && verdictOf(row.verdict)),
    ...(row.webhook !== null && { webhook: row.webhook as TimelineWebhook }),
  };
}
