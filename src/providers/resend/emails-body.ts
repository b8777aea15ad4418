import { createHash } from 'node:crypto';
import { detectMimeType } from 'nodemailer/lib/mime-funcs';
import type { RequestBody } from '../http/http-exchange.js';
import { jsonBody } from '../http/json-body.js';
import { typeInBase64 } from '../message-parts.js';
import type { OutgoingAttachment, OutgoingEmail } from '../provider.js';
import { unsubscribeHeaders } from '../unsubscribe-headers.js';
import type { Copy } from '../copies.js';
import { recipientText, senderText } from './mailbox-text.js';

/** The body of POST /emails. The same on every attempt, as its idempotency key demands, so it has no attempt number. */
export function emailsBodyOf(email: OutgoingEmail, copy: Copy): RequestBody {
  return jsonBody(fieldsOf(email, copy), email.attachments ?? [], {
    list: 'attachments',
    content: 'content',
    describe,
  });
}

/**
 * Names the call by its email and its recipients, in at most 256 characters. For 24 hours, Resend responds to a second
 * call with the same key as to the first, without sending again, so repeating a call whose response was lost is
 * harmless for a day. Fewer recipients make another call.
 */
export function idempotencyKeyOf({ emailId }: OutgoingEmail, copy: Copy): string {
  const recipients = [...addressesOf(copy)].sort().join('\n');
  return `${emailId}-${createHash('sha256').update(recipients).digest('base64url')}`;
}

/**
 * Resend accepts a Message-ID but sends its own in place of it. So our ID has a header, and a tag, which events return.
 * It creates a text from the HTML unless there is one, if only an empty one.
 */
function fieldsOf(email: OutgoingEmail, copy: Copy): object {
  const { from, replyTo, subject, html, text, headers, emailId, messageId } = email;
  const { to, cc, bcc } = copy;
  return {
    from: senderText(from),
    to: to.map(recipientText),
    ...(cc.length > 0 && { cc: cc.map(recipientText) }),
    ...(bcc.length > 0 && { bcc: bcc.map(recipientText) }),
    ...(replyTo && { reply_to: [recipientText(replyTo)] }),
    subject,
    ...(html !== '' && { html }),
    text,
    headers: {
      ...headers,
      'Message-ID': `<${messageId}>`,
      'X-Mailbeacon-Id': emailId,
      ...unsubscribeHeaders(email),
    },
    tags: tagsOf(emailId, addressesOf(copy).length),
  };
}

/**
 * Names and values of tags may have letters, digits, - and _ only, which excludes a Message-ID. Events do not say which
 * of several recipients they concern, so they return the number.
 */
function tagsOf(emailId: string, recipients: number): object[] {
  return [
    { name: 'mailbeacon_email_id', value: emailId },
    { name: 'mailbeacon_recipients', value: String(recipients) },
  ];
}

function describe({ filename, contentType: given, contentId }: OutgoingAttachment): object {
  const contentType = typeInBase64(given);
  return {
    filename,
    ...(fits(contentType, filename) && { content_type: contentType }),
    ...(contentId !== null && { content_id: contentId }),
  };
}

/** All addresses of a call, in lower case. */
function addressesOf({ to, cc, bcc }: Copy): readonly string[] {
  return [...to, ...cc, ...bcc].map(({ address }) => address.toLowerCase());
}

const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * False for a type that does not fit the extension of the name. Resend is reported to accept such a file and never send
 * the email. Without a type, it chooses one by the name.
 */
function fits(contentType: string, filename: string): boolean {
  const usual = /[^.]\.[^.]+$/.test(filename) ? detectMimeType(filename) : UNKNOWN_TYPE;
  return usual === UNKNOWN_TYPE || contentType.split(';', 1)[0]!.trim().toLowerCase() === usual;
}
