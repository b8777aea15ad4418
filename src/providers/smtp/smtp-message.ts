import type { SendMailOptions } from 'nodemailer';
import type { Mailbox, OutgoingEmail } from '../provider.js';

/**
 * An email as nodemailer takes it: every address an object and the envelope explicit, so that nothing is ever
 * parsed out of a string; bcc only in the envelope. Each attempt makes the same message.
 */
export function toMailOptions(email: OutgoingEmail): SendMailOptions {
  return {
    messageId: `<${email.messageId}>`,
    date: email.date,
    from: toAddress(email.from),
    ...(email.replyTo && { replyTo: toAddress(email.replyTo) }),
    to: email.to.map(toAddress),
    cc: email.cc.map(toAddress),
    subject: email.subject,
    ...(email.text !== '' && { text: toPart(email.text) }),
    html: toPart(email.html),
    headers: { 'X-Mailbeacon-Id': email.emailId },
    envelope: {
      from: { name: '', address: email.from.address },
      to: email.envelopeRecipients.map((address) => ({ name: '', address })),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function toAddress({ address, name }: Mailbox): { name: string; address: string } {
  return { name: name ?? '', address };
}

function toPart(text: string): { content: string; contentTransferEncoding: 'base64' | 'quoted-printable' } {
  // Text travels with CRLF line ends in whatever encoding (RFC 2046, 4.1.1).
  const content = text.replace(/\r?\n/g, '\r\n');
  return { content, contentTransferEncoding: transferEncodingOf(content) };
}

/** Encoding a longer text readably would hold up everything else in the process: base64 takes a third of the time. */
const LONGEST_READABLE_BYTES = 256 * 1024;

/**
 * Never 7bit or 8bit, whose lines a relay may break or rewrite. Quoted-printable keeps mostly-ASCII text
 * readable; base64 is shorter for other scripts, and the only one that keeps a bare CR what it is.
 */
function transferEncodingOf(text: string): 'base64' | 'quoted-printable' {
  if (/\r(?!\n)/.test(text)) return 'base64';
  const bytes = Buffer.byteLength(text);
  if (bytes > LONGEST_READABLE_BYTES) return 'base64';
  // One to two bytes per character beyond ASCII; from about a tenth on, three characters for each byte cost more.
  const beyondAscii = bytes - text.length;
  return beyondAscii * 10 > bytes ? 'base64' : 'quoted-printable';
}
