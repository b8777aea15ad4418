import { copiesOf, type Copy } from '../copies.js';
import type { Mailbox, OutgoingEmail } from '../provider.js';
import { unsubscribeHeaders } from '../unsubscribe-headers.js';

/** A message of Postmark, without its attachments. */
export interface PostmarkMessage {
  readonly To: string;
  readonly Cc?: string;
  readonly Bcc?: string;
  readonly [field: string]: unknown;
}

/** The messages of a call, and the recipients of each. */
export interface AddressedMessage {
  readonly recipients: readonly string[];
  readonly message: PostmarkMessage;
}

/** Converts an email to the messages that Postmark sends: one, except for several hidden recipients. */
export function messagesOf(email: OutgoingEmail, messageStream: string | undefined): readonly AddressedMessage[] {
  const common = commonFields(email, messageStream);
  return copiesOf(email).map((copy) => addressed(common, copy));
}

function addressed(common: object, { to, cc, bcc }: Copy): AddressedMessage {
  const copies = { ...(cc.length > 0 && { Cc: listOf(cc) }), ...(bcc.length > 0 && { Bcc: listOf(bcc) }) };
  return {
    recipients: [...to, ...cc, ...bcc].map(({ address }) => address),
    message: { To: listOf(to), ...copies, ...common },
  };
}

/**
 * Postmark replaces a Message-ID unless X-PM-KeepID says otherwise. Names of metadata have at most 20 characters and
 * values 80, which excludes the Message-ID there. Postmark's own tracking is off, because rewriting links and pixel
 * twice would break both; only that of opens stays on if it is on for the whole stream.
 */
function commonFields(email: OutgoingEmail, messageStream: string | undefined): object {
  const { from, replyTo, subject, text, html, emailId, attempt, messageId } = email;
  const headers = {
    ...email.headers,
    'Message-ID': `<${messageId}>`,
    'X-PM-KeepID': 'true',
    ...unsubscribeHeaders(email),
  };
  return {
    From: mailboxText(from),
    ...(replyTo && { ReplyTo: mailboxText(replyTo) }),
    Subject: subject,
    ...(text !== '' && { TextBody: text }),
    ...(html !== '' && { HtmlBody: html }),
    Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
    Metadata: { mailbeacon_email_id: emailId, mailbeacon_attempt: String(attempt) },
    ...(messageStream !== undefined && { MessageStream: messageStream }),
    TrackOpens: false,
    TrackLinks: 'None',
  };
}

function listOf(mailboxes: readonly Mailbox[]): string {
  return mailboxes.map(mailboxText).join(', ');
}

/** A name is quoted (RFC 5322, 3.2.4), because it may have commas and angle brackets. */
function mailboxText({ address, name }: Mailbox): string {
  return name ? `"${name.replace(/[\\"]/g, '\\$&')}" <${address}>` : address;
}
