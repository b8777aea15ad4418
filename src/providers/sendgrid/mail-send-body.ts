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
    personalizations: personalizations(email),
    from: toAddressee(email.from),
    ...(email.replyTo && { reply_to: toAddressee(email.replyTo) }),
    subject: email.subject,
    // text/plain must come first. SendGrid refuses an empty part.
    content: [
      ...(email.text === '' ? [] : [{ type: 'text/plain', value: email.text }]),
      ...(email.html === '' ? [] : [{ type: 'text/html', value: email.html }]),
    ],
    headers: { ...email.headers, 'Message-ID': `<${email.messageId}>`, ...unsubscribeHeaders(email) },
    custom_args: customArguments(email),
    tracking_settings: NO_TRACKING,
  };
}

export const NO_TRACKING = {
  click_tracking: { enable: false, enable_text: false },
  open_tracking: { enable: false },
  subscription_tracking: { enable: false },
  ganalytics: { enable: false },
};

export function customArguments(
  email: Pick<OutgoingEmail, 'emailId' | 'attempt' | 'messageId'>,
): Record<string, string> {
  return {
    mailbeacon_email_id: email.emailId,
    mailbeacon_attempt: String(email.attempt),
    mailbeacon_message_id: email.messageId,
  };
}

/**
 * The messages that SendGrid creates. It has no envelope apart from to, cc and bcc, so recipients who must not get this
 * attempt are left out of these fields. `to` must not be empty: if it would be, recipients in cc replace it; recipients
 * in bcc, who must not see each other, each get a separate message.
 */
function personalizations({ to, cc, bcc, envelopeRecipients }: OutgoingEmail): Record<string, Addressee[]>[] {
  const isLeft = firstOf(new Set(envelopeRecipients.map((address) => address.toLowerCase())));
  const left = [to, cc, bcc].map((list) => list.filter(isLeft).map(toRecipient));
  const [direct, copies, hidden] = left as [Addressee[], Addressee[], Addressee[]];
  if (direct.length > 0) return [withoutEmpty({ to: direct, cc: copies, bcc: hidden })];
  if (copies.length > 0) return [withoutEmpty({ to: copies, bcc: hidden })];
  return hidden.map((addressee) => ({ to: [addressee] }));
}

/** True for the first mailbox of each address, because SendGrid refuses duplicates in to, cc and bcc. */
function firstOf(keys: Set<string>): (mailbox: Mailbox) => boolean {
  return ({ address }) => keys.delete(address.toLowerCase());
}

function withoutEmpty(lists: Record<string, Addressee[]>): Record<string, Addressee[]> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

/**
 * SendGrid accepts a call with a comma or semicolon in the name of a recipient, but reads the parts of such a name as
 * addresses: the recipient gets nothing.
 */
export function toRecipient({ address, name = '' }: Mailbox): Addressee {
  const oneWord = name.replace(/[ ,;]+/g, (run) => (/[,;]/.test(run) ? ' ' : run));
  return toAddressee({ address, name: oneWord.trim() });
}

export function toAddressee({ address, name }: Mailbox): Addressee {
  return name ? { email: address, name } : { email: address };
}
