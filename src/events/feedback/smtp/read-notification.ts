import { readDeliveryStatus } from './delivery-status.js';
import { readFeedbackReport } from './feedback-report.js';
import type { MailMessage } from './mail-message.js';
import type { RecipientReport } from './recipient-report.js';
import { readTextBounce } from './text-bounce.js';

/**
 * Kinds of messages that arrive at a return path:
 *
 *     delivery-status  a delivery status notification (RFC 3464)
 *     feedback         an abuse report (RFC 5965)
 *     text-bounce      a bounce without a machine-readable part
 *     autoreply        a vacation message or the like (RFC 3834)
 *     other            anything else
 */
export const NOTIFICATION_KINDS = ['delivery-status', 'feedback', 'text-bounce', 'autoreply', 'other'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

export interface Notification {
  readonly kind: NotificationKind;
  readonly reports: readonly RecipientReport[];
}

/** The null sender, for which Postfix writes a name when it passes a message to a program (pipe(8), `null_sender`). */
const NULL_SENDER = /^\s*<(?:mailer-daemon)?>\s*$/i;

const DELIVERY_STATUS = /^message\/(global-)?delivery-status$/;

/**
 * Reads what a message reports about recipients.
 * @param sender the envelope sender; empty for a bounce. Undefined if unknown; then the `Return-Path` field is used
 */
export function readNotification(message: MailMessage, sender: string | undefined): Notification {
  const statuses = message.parts.filter(({ type }) => DELIVERY_STATUS.test(type));
  if (statuses.length > 0) {
    return { kind: 'delivery-status', reports: statuses.flatMap(({ content }) => readDeliveryStatus(content)) };
  }
  const feedback = feedbackIn(message);
  if (feedback) return { kind: 'feedback', reports: [feedback] };
  const isFromMailer = /\bmailer-daemon\b/i.test(message.headers.get('from')?.[0] ?? '');
  // Some servers also mark their bounces as automatic replies.
  if (!isFromMailer && isAutoreply(message)) return { kind: 'autoreply', reports: [] };
  const bounce = isFromMailer || isNull(message, sender) ? readTextBounce(message) : undefined;
  return bounce ? { kind: 'text-bounce', reports: [bounce] } : { kind: 'other', reports: [] };
}

/** The feedback report in a message. */
export function feedbackIn({ parts }: MailMessage): ReturnType<typeof readFeedbackReport> {
  const part = parts.find(({ type }) => type === 'message/feedback-report');
  return part && readFeedbackReport(part.content);
}

function isAutoreply({ headers }: MailMessage): boolean {
  const submitted = headers.get('auto-submitted')?.[0] ?? 'no';
  return !/^\s*no\b/i.test(submitted) || headers.has('x-autoreply') || headers.has('x-autorespond');
}

function isNull({ headers }: MailMessage, sender: string | undefined): boolean {
  return sender === undefined ? NULL_SENDER.test(headers.get('return-path')?.[0] ?? '') : sender === '';
}
