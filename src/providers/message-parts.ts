import type { OutgoingEmail } from './provider.js';

const MESSAGES = /^message\/(?:rfc822|global)$/i;
/** What a report (RFC 6522) reports, by the type of its first part after the text. */
const REPORTS: ReadonlyMap<string, string> = new Map([
  ['message/delivery-status', 'delivery-status'],
  ['message/global-delivery-status', 'delivery-status'],
  ['message/disposition-notification', 'disposition-notification'],
  ['message/global-disposition-notification', 'disposition-notification'],
  ['message/feedback-report', 'feedback-report'],
]);
const RETURNED = /^(?:message\/(?:rfc822|global|global-headers)|text\/rfc822-headers)$/i;

/**
 * True for types whose content must not have a transfer encoding (RFC 2045, 6.4). Only 7-bit content has such a type.
 */
export function isMessageType(contentType: string): boolean {
  return /^message\//i.test(contentType);
}

/**
 * The type of a file that is sent in base64, so that mail programs can open it: messages by their name,
 * reports as text.
 */
export function typeInBase64(contentType: string): string {
  if (!isMessageType(contentType)) return contentType;
  return MESSAGES.test(withoutParameters(contentType)) ? 'application/octet-stream' : 'text/plain';
}

/** What the email reports, such as `delivery-status` for a bounce; undefined for an email that is no report. */
export function reportTypeOf({ attachments = [] }: Pick<OutgoingEmail, 'attachments'>): string | undefined {
  const [report, returned, ...others] = attachments;
  if (!report || others.length > 0 || (returned && !RETURNED.test(withoutParameters(returned.contentType))))
    return undefined;
  return REPORTS.get(withoutParameters(report.contentType).toLowerCase());
}

function withoutParameters(contentType: string): string {
  return contentType.split(';', 1)[0]!;
}
