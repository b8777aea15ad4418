import { copiesOf, type Copy } from '../copies.js';
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
    personalizations: copiesOf(email).map(toPersonalization),
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

/** One of the messages that SendGrid creates. */
function toPersonalization({ to, cc, bcc }: Copy): Record<string, Addressee[]> {
  return {
    to: to.map(toRecipient),
    ...(cc.length > 0 && { cc: cc.map(toRecipient) }),
    ...(bcc.length > 0 && { bcc: bcc.map(toRecipient) }),
  };
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
