import { findUnsafeField } from '../header-safety.js';
import type { BatchRecipient, BatchMessage } from '../provider.js';
import { unsubscribeHeaders } from '../unsubscribe-headers.js';
import { customArguments, NO_TRACKING, toAddressee, toRecipient } from './mail-send-body.js';

/** SendGrid documents 1,000, but a call with an unknown outcome must not flag too many. */
export const MAX_RECIPIENTS = 50;
/** Limit for the substitutions of one recipient, as JSON. Some pages of SendGrid's documentation say 50,000. */
const MAX_SUBSTITUTION_BYTES = 10_000;
/** Limit for the custom arguments of one request. The documentation does not say whether it applies per recipient. */
const MAX_ARGUMENT_BYTES = 10_000 / MAX_RECIPIENTS;
/** In addition to its characters, a tag or value takes two pairs of quotes, a colon and a comma. */
const PUNCTUATION = 6;

/** False for an email that has to be sent alone, because it does not fit the limits. */
export function fitsBatch(email: BatchRecipient, message: BatchMessage): boolean {
  const { values } = email;
  if (findUnsafeField(asAlone(email, message)) !== undefined) return false;
  if (Buffer.byteLength(JSON.stringify(customArguments(email))) > MAX_ARGUMENT_BYTES) return false;
  const { tags } = message;
  const bytes = values.reduce((sum, value, index) => {
    return sum + tags[index]!.length + Buffer.byteLength(JSON.stringify(value)) + PUNCTUATION;
  }, 0);
  return bytes <= MAX_SUBSTITUTION_BYTES;
}

/** The body of POST /v3/mail/send for several recipients, each of whom gets a separate email. */
export function batchBody(message: BatchMessage, recipients: readonly BatchRecipient[]): string {
  const { from, replyTo, html, text, tags } = message;
  return JSON.stringify({
    personalizations: recipients.map((email) => ({
      to: [toRecipient(email.to)],
      subject: email.subject,
      headers: { 'Message-ID': `<${email.messageId}>`, ...unsubscribeHeaders(email) },
      custom_args: customArguments(email),
      substitutions: Object.fromEntries(tags.map((tag, index) => [tag, email.values[index]!])),
    })),
    from: toAddressee(from),
    ...(replyTo && { reply_to: toAddressee(replyTo) }),
    // Each recipient has a separate subject, but the request must also have one.
    subject: recipients[0]!.subject,
    content: [
      { type: 'text/plain', value: text },
      { type: 'text/html', value: html },
    ],
    tracking_settings: NO_TRACKING,
  });
}

function asAlone(
  { to, ...email }: BatchRecipient,
  { from, replyTo }: BatchMessage,
): Parameters<typeof findUnsafeField>[0] {
  const { emailId, attempt, messageId, subject, unsubscribeUrl } = email;
  return {
    ...{ emailId, attempt, messageId, subject, unsubscribeUrl, from, ...(replyTo && { replyTo }) },
    ...{ to: [to], cc: [], bcc: [], html: '', text: '', date: new Date(0), envelopeRecipients: [to.address] },
  };
}
