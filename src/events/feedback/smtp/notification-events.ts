import type { ReturnPath } from '../../../links/return-path.js';
import { recipientEventId, type RecipientEvent } from '../../recipient-event.js';
import type { MailMessage } from './mail-message.js';
import type { Notification } from './read-notification.js';

/** A mail server gives up after days, and clocks differ. Times outside these limits are ignored. */
const LONGEST_AGO_MS = 30 * 86_400_000;
const FURTHEST_AHEAD_MS = 86_400_000;
const DAY_MS = 86_400_000;

/**
 * Turns a notification into events. Their IDs derive from the return path and from the content of the notification, so
 * that a repeated delivery of it is stored once, regardless of how it arrived.
 * @param path of the message that the notification is about
 * @param now in milliseconds since 1970
 * @returns an event for each report that names its recipient, but only the first of equal reports about one recipient:
 * anyone who got the message can write to its return path, and a notification can have many reports
 */
export function eventsOf(
  { reports }: Notification,
  path: ReturnPath,
  message: MailMessage,
  now: number,
): readonly RecipientEvent[] {
  const occurredAt = timeOf(message, now);
  const messageId = message.headers.get('message-id')?.[0] ?? '';
  const said = new Set<string>();
  return reports.flatMap(({ address, fact, bounce, smtpStatus, reason }): RecipientEvent[] => {
    const recipient = path.position ?? address;
    if (recipient === undefined) return [];
    const meaning = JSON.stringify([recipient, fact, bounce]);
    if (said.has(meaning)) return [];
    said.add(meaning);
    const content = [path.emailTrackingId, recipient, messageId, occurredAt, fact, bounce, smtpStatus, reason];
    return [
      {
        type: 'recipient',
        id: recipientEventId(occurredAt, `smtp:${JSON.stringify(content)}`),
        email: path.emailTrackingId,
        recipient,
        fact,
        ...(bounce !== undefined && { bounce }),
        ...(smtpStatus !== undefined && { smtpStatus }),
        ...(reason !== undefined && { reason }),
      },
    ];
  });
}

/** The time of the notification, or else the start of today: a repeat must get the same ID. */
function timeOf({ headers }: MailMessage, now: number): number {
  const written = Date.parse(headers.get('date')?.[0] ?? '');
  const isPlausible = written >= now - LONGEST_AGO_MS && written <= now + FURTHEST_AHEAD_MS;
  return isPlausible ? written : now - (now % DAY_MS);
}
