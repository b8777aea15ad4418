import { sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { DkimKey } from '../provider.js';

const signInThread = promisify(sign);

/**
 * Every occurrence is signed, plus one that does not exist. If someone adds a second From or Subject in transit, the
 * signature breaks (RFC 6376, 8.15).
 */
const SIGNED_HEADERS = [
  'from',
  'reply-to',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'content-type',
] as const;

/**
 * Signed in the same way, but only if present: receivers accept one-click unsubscription only if the signature covers
 * both (RFC 8058, 4). Mailing lists add them to mail that has none, which must not break its signature.
 */
const SIGNED_IF_PRESENT: readonly string[] = ['list-unsubscribe', 'list-unsubscribe-post'];

/**
 * Creates the `DKIM-Signature` field of a message with CRLF line ends (RFC 6376; rsa-sha256, relaxed/relaxed). The
 * field ends with CRLF and goes in front of the message.
 * @param header in latin1, without the empty line that ends it
 * @param bodyHash see `RelaxedBodyHash`
 */
export async function dkimSignature(
  header: string,
  bodyHash: string,
  { domain, selector, privateKey }: DkimKey,
): Promise<string> {
  const fields = signedFields(header);
  const tags = [
    'v=1; a=rsa-sha256; c=relaxed/relaxed',
    `d=${domain}; s=${selector}`,
    `h=${fields.names.join(':')}`,
    `bh=${bodyHash}`,
    'b=',
  ];
  const unsigned = `DKIM-Signature: ${tags.join(';\r\n ')}`;
  const data = `${fields.lines.join('\r\n')}\r\n${relaxedField(unsigned)}`;
  const signature = (await signInThread('sha256', Buffer.from(data, 'latin1'), privateKey)).toString('base64');
  return `${unsigned}${signature.replace(/.{1,72}/g, '\r\n  $&')}\r\n`;
}

/** The names for `h=`, each once more than it occurs, and their lines from the bottom up (5.4.2). */
function signedFields(header: string): { names: string[]; lines: string[] } {
  const fields = header.split(/\r\n(?![ \t])/);
  const names: string[] = [];
  const lines: string[] = [];
  const present = SIGNED_IF_PRESENT.filter((name) => fields.some((field) => nameOf(field) === name));
  for (const name of [...SIGNED_HEADERS, ...present]) {
    const occurrences = fields.filter((field) => nameOf(field) === name).reverse();
    names.push(name, ...occurrences.map(() => name));
    lines.push(...occurrences.map(relaxedField));
  }
  return { names, lines };
}

function nameOf(field: string): string {
  return field.slice(0, field.indexOf(':')).trim().toLowerCase();
}

/** RFC 6376, 3.4.2. */
function relaxedField(field: string): string {
  const value = field.slice(field.indexOf(':') + 1);
  const folded = value.replace(/\r\n/g, '').replace(/[ \t]+/g, ' ');
  return `${nameOf(field)}:${folded.replace(/^ | $/g, '')}`;
}
