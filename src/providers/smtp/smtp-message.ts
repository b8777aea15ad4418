import { Readable } from 'node:stream';
import type { SendMailOptions } from 'nodemailer';
import type MimeNode from 'nodemailer/lib/mime-node';
import { isMessageType, reportTypeOf } from '../message-parts.js';
import { MESSAGE_ID_HEADER, type Mailbox, type OutgoingAttachment, type OutgoingEmail } from '../provider.js';
import { unsubscribeHeaders } from '../unsubscribe-headers.js';
import { subjectText } from './subject-text.js';

/**
 * Converts an email to nodemailer's options. Addresses are objects and the envelope is explicit, so that nodemailer
 * parses no strings. Bcc is only in the envelope. Every attempt produces the same message.
 */
export function toMailOptions(email: OutgoingEmail): SendMailOptions {
  return {
    ...toDeliveryOptions(email),
    date: email.date,
    from: toAddress(email.from),
    ...(email.replyTo && { replyTo: toAddress(email.replyTo) }),
    to: email.to.map(toAddress),
    cc: email.cc.map(toAddress),
    subject: subjectText(email.subject),
    ...(email.text !== '' && { text: toPart(email.text) }),
    ...(email.html !== '' && { html: toPart(email.html) }),
    attachments: email.attachments?.map((attachment) => toAttachment(attachment, reportTypeOf(email) !== undefined)),
    headers: {
      ...withoutMessageId(email.headers),
      'X-Mailbeacon-Id': email.emailId,
      // Abuse reports hide the recipient and often the envelope sender, but return the header.
      ...(email.returnPath !== undefined && asWritten({ 'X-Mailbeacon-Return-Path': email.returnPath })),
      ...asWritten(unsubscribeHeaders(email)),
    },
  };
}

/** Makes the composed message of a report such as a bounce a multipart/report (RFC 6522). Nodemailer composes none. */
export function declareReport(message: MimeNode, email: Pick<OutgoingEmail, 'attachments'>): void {
  const type = reportTypeOf(email);
  if (type !== undefined) message.setHeader('Content-Type', `multipart/report; report-type=${type}`);
}

/** Every message has one ID. */
function withoutMessageId(headers: OutgoingEmail['headers']): OutgoingEmail['headers'] {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => name !== MESSAGE_ID_HEADER));
}

/** The fields that nodemailer needs for a message that is already composed. */
export function toDeliveryOptions(email: OutgoingEmail): SendMailOptions {
  return {
    messageId: `<${email.messageId}>`,
    envelope: {
      from: { name: '', address: email.returnPath ?? email.from.address },
      to: email.envelopeRecipients.map((address) => ({ name: '', address })),
    },
    ...notificationRequest(email),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/**
 * Requests what servers with the DSN extension (RFC 3461) put into their bounces: our recipient, regardless of
 * forwarding, and only the headers of the message. Nodemailer can name one recipient per message.
 */
function notificationRequest({ returnPath, envelopeRecipients }: OutgoingEmail): Pick<SendMailOptions, 'dsn'> {
  if (returnPath === undefined) return {};
  const [only = '', ...others] = envelopeRecipients;
  // Other characters would need the utf-8 address type (RFC 6533), which few servers know.
  const isNamed = others.length === 0 && /^[\x21-\x7e]+$/.test(only);
  return { dsn: { return: 'headers', ...(isNamed && { recipient: `rfc822;${only}` }) } };
}

/** Its content is a stream, which can be read once. */
function toAttachment({ filename, contentType, contentId, read }: OutgoingAttachment, isOfReport: boolean): Attachment {
  return {
    ...{ filename, contentType },
    contentDisposition: contentId === null && !isOfReport ? 'attachment' : 'inline',
    ...(contentId !== null && { cid: contentId }),
    contentTransferEncoding: isMessageType(contentType) ? '7bit' : 'base64',
    content: Readable.from(read(), { objectMode: false }),
  };
}

type Attachment = NonNullable<SendMailOptions['attachments']>[number];

/** Keeps nodemailer from encoding the values, and from folding a URL that receivers have to read in one piece. */
function asWritten(headers: Record<string, string>): Record<string, { prepared: true; value: string }> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { prepared: true, value }]));
}

export function toAddress({ address, name }: Mailbox): { name: string; address: string } {
  return { name: name ?? '', address };
}

function toPart(text: string): { content: string; contentTransferEncoding: 'base64' | 'quoted-printable' } {
  // Text has CRLF line ends in every encoding (RFC 2046, 4.1.1).
  const content = text.replace(/\r?\n/g, '\r\n');
  return { content, contentTransferEncoding: transferEncodingOf(content) };
}

/** Quoted-printable would block the event loop for longer texts. Base64 takes a third of the time. */
export const LONGEST_READABLE_BYTES = 256 * 1024;

/**
 * Never uses 7bit or 8bit, because relays may break or rewrite their lines. Quoted-printable keeps mostly-ASCII text
 * readable. Base64 is shorter for other scripts, and only base64 preserves a bare CR.
 */
export function transferEncodingOf(text: string): 'base64' | 'quoted-printable' {
  if (/\r(?!\n)/.test(text)) return 'base64';
  const bytes = Buffer.byteLength(text);
  if (bytes > LONGEST_READABLE_BYTES) return 'base64';
  // Approximates the share of non-ASCII bytes. From about a tenth on, quoted-printable's three characters per byte cost
  // more.
  const beyondAscii = bytes - text.length;
  return beyondAscii * 10 > bytes ? 'base64' : 'quoted-printable';
}
