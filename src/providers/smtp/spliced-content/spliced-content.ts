import { foldLines } from 'nodemailer/lib/mime-funcs';
import MimeNode from 'nodemailer/lib/mime-node';
import { joinPieces, type Pieces } from '../../message-pieces.js';
import type { OutgoingEmail } from '../../provider.js';
import { unsubscribeHeaders } from '../../unsubscribe-headers.js';
import { LONGEST_READABLE_BYTES, toAddress, transferEncodingOf } from '../smtp-message.js';
import { subjectText } from '../subject-text.js';
import { QuotedPieces } from './quoted-pieces.js';

/** An encoded part of a message: the fixed pieces once for all its recipients. */
type SharedPart = (values: readonly string[]) => string;

const LINE = 76;
/** The characters at the end of a boundary, which may have 70 characters (RFC 2046, 5.1.1). */
const BOUNDARY = /^[\w-]{1,60}$/;
/** An address that needs no encoding in a header. */
const PLAIN_ADDRESS = /^[\w.+-]+@[a-z\d.-]+$/i;

/**
 * Composes the emails of a broadcast. Their common parts are encoded once. They differ from what nodemailer
 * composes only in line breaks of the encoding, which readers remove, and in the boundary.
 */
export class SplicedContent {
  private readonly parts = new WeakMap<Pieces, SharedPart>();
  private headers: { readonly of: string; readonly text: string } = { of: '', text: '' };

  /** The whole message; undefined for an email that has to be composed separately. */
  compose(email: OutgoingEmail): string | undefined {
    const { pieces } = email;
    if (!pieces || !isPlain(email) || pieces.values.some((value) => value.includes('\r'))) return undefined;
    // Cannot occur in an encoded part: there, a hexadecimal digit or a line end follows "=".
    const boundary = `=_${email.emailId}`;
    const parts = [
      this.partOf('text/plain', pieces.text)(pieces.values),
      this.partOf('text/html', pieces.html)(pieces.values),
    ];
    const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('');
    const type = `Content-Type: multipart/alternative;\r\n boundary="${boundary}"`;
    return `${this.commonHeaders(email)}${ownHeaders(email)}${type}\r\n\r\n${body}--${boundary}--\r\n`;
  }

  private partOf(type: string, pieces: Pieces): SharedPart {
    const known = this.parts.get(pieces);
    if (known) return known;
    const part = sharedPart(type, pieces);
    this.parts.set(pieces, part);
    return part;
  }

  /** Emails of a message usually follow each other. */
  private commonHeaders({ from, replyTo, subject, date }: OutgoingEmail): string {
    const of = JSON.stringify([from, replyTo, subject, date]);
    if (this.headers.of === of) return this.headers.text;
    const fields = [
      field('From', toAddress(from)),
      replyTo ? field('Reply-To', toAddress(replyTo)) : '',
      field('Subject', subjectText(subject)),
      field('Date', date),
      field('MIME-Version', '1.0'),
    ];
    this.headers = { of, text: fields.join('') };
    return this.headers.text;
  }
}

function isPlain({ emailId, subject, html, text, cc, attachments, headers }: OutgoingEmail): boolean {
  const isComplete = subject !== '' && html !== '' && text !== '';
  return isComplete && cc.length === 0 && !attachments && !headers && BOUNDARY.test(emailId);
}

function sharedPart(type: string, pieces: Pieces): SharedPart {
  const fixed = pieces.filter((piece) => typeof piece === 'string');
  const encoding = fixed.some((piece) => /\r(?!\n)/.test(piece)) ? 'base64' : transferEncodingOf(fixed.join(''));
  const header = `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: `;
  const inBase64: SharedPart = (values) => `${header}base64\r\n\r\n${base64(joinPieces(pieces, values))}`;
  if (encoding === 'base64') return inBase64;
  const quoted = new QuotedPieces(pieces);
  return (values) => {
    // One value can be a text part of megabytes.
    if (lengthOf(pieces, values) > LONGEST_READABLE_BYTES) return inBase64(values);
    return `${header}quoted-printable\r\n\r\n${quoted.with(values)}`;
  };
}

function lengthOf(pieces: Pieces, values: readonly string[]): number {
  return pieces.reduce<number>((sum, piece) => sum + (typeof piece === 'string' ? piece : values[piece]!).length, 0);
}

/** Every line of three bytes or more is as long as it may be, and none continues in the next piece. */
function base64(text: string): string {
  const encoded = Buffer.from(text.replace(/\r?\n/g, '\r\n')).toString('base64');
  return encoded.replace(new RegExp(`.{${LINE}}(?=.)`, 'g'), '$&\r\n');
}

function ownHeaders(email: OutgoingEmail): string {
  const { to, returnPath } = email;
  const [only, ...others] = to;
  const isPlain = others.length === 0 && only?.name === undefined && PLAIN_ADDRESS.test(only?.address ?? '');
  const written = {
    'Message-ID': `<${email.messageId}>`,
    'X-Mailbeacon-Id': email.emailId,
    ...(returnPath !== undefined && { 'X-Mailbeacon-Return-Path': returnPath }),
    ...unsubscribeHeaders(email),
  };
  const lines = Object.entries(written).map(([name, value]) => `${name}: ${value}\r\n`);
  return (isPlain ? `To: ${only!.address}\r\n` : field('To', to.map(toAddress))) + lines.join('');
}

function field(name: string, value: Parameters<typeof MimeNode.encodeHeaderValue>[1]): string {
  return `${foldLines(`${name}: ${MimeNode.encodeHeaderValue(name, value)}`, LINE)}\r\n`;
}
