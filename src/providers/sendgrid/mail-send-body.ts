import type { Mailbox, OutgoingEmail } from '../provider.js';
import { unsubscribeHeaders } from '../unsubscribe-headers.js';

interface Addressee {
  readonly email: string;
  readonly name?: string;
}

/**
 * Converts an email to the body of POST /v3/mail/send.
 *
 * SendGrid may replace the Message-ID header with its own. Its events reliably return only the custom arguments, so
 * those repeat the Message-ID with our ID and attempt. SendGrid's own tracking is off, because rewriting links and
 * pixel twice would break both.
 */
export function toMailSendBody(email: OutgoingEmail): Record<string, unknown> {
  return {
    personalizations: [addressees(email)],
    from: toAddressee(email.from),
    ...(email.replyTo && { reply_to: toAddressee(email.replyTo) }),
    subject: email.subject,
    // text/plain must come first. SendGrid refuses an empty part.
    content: [
      ...(email.text === '' ? [] : [{ type: 'text/plain', value: email.text }]),
      { type: 'text/html', value: email.html },
    ],
    headers: { 'Message-ID': `<${email.messageId}>`, ...unsubscribeHeaders(email) },
    custom_args: {
      mailbeacon_email_id: email.emailId,
      mailbeacon_attempt: String(email.attempt),
      mailbeacon_message_id: email.messageId,
    },
    tracking_settings: {
      click_tracking: { enable: false, enable_text: false },
      open_tracking: { enable: false },
      subscription_tracking: { enable: false },
      ganalytics: { enable: false },
    },
  };
}

/** Keeps only the first occurrence of an address, because SendGrid refuses messages with duplicates in to, cc and bcc. */
function addressees({ to, cc, bcc }: OutgoingEmail): Record<string, Addressee[]> {
  const seen = new Set<string>();
  const firstSeen = (list: readonly Mailbox[]): Addressee[] =>
    list
      .filter(({ address }) => {
        const key = address.toLowerCase();
        return !seen.has(key) && seen.add(key);
      })
      .map(toAddressee);
  const lists = Object.entries({ to: firstSeen(to), cc: firstSeen(cc), bcc: firstSeen(bcc) });
  return Object.fromEntries(lists.filter(([, list]) => list.length > 0));
}

function toAddressee({ address, name }: Mailbox): Addressee {
  return name ? { email: address, name } : { email: address };
}
