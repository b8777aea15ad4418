import { decodeText, fieldOf } from './header-fields.js';
import { MessageProblem } from './message-problem.js';
import type { MimeEntity } from './read-entity.js';

const EQUALS = 0x3d;
const CR = 0x0d;
const LF = 0x0a;

/** The content of an entity without its transfer encoding. @throws MessageProblem */
export function decodeBody({ fields, body }: Pick<MimeEntity, 'fields' | 'body'>): Buffer {
  const encoding = (fieldOf(fields, 'content-transfer-encoding') ?? '7bit').toLowerCase();
  switch (encoding) {
    case '7bit':
    case '8bit':
    case 'binary':
      return body;
    case 'base64':
      // The decoder skips line breaks.
      return Buffer.from(body.toString('latin1'), 'base64');
    case 'quoted-printable':
      return decodeQuotedPrintable(body);
    default:
      throw new MessageProblem(`The transfer encoding "${encoding.slice(0, 40)}" is unknown`);
  }
}

/** The content of a text part, with LF as line end. @throws MessageProblem */
export function decodeTextBody(entity: MimeEntity): string {
  const text = decodeText(decodeBody(entity), entity.typeParameters.get('charset'));
  return text.replaceAll('\r\n', '\n');
}

/** RFC 2045, 6.7. An equals sign that encodes nothing stays. */
function decodeQuotedPrintable(body: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (byte !== EQUALS) {
      decoded[length++] = byte;
      continue;
    }
    const [first, second] = [hexOf(body[at + 1]), hexOf(body[at + 2])];
    if (first >= 0 && second >= 0) {
      decoded[length++] = first * 16 + second;
      at += 2;
    } else {
      const softBreak = softBreakAfter(body, at + 1);
      if (softBreak >= 0) at += softBreak;
      else decoded[length++] = byte;
    }
  }
  return decoded.subarray(0, length);
}

/** Bytes of a line break that the encoding added, -1 if there is none. Blanks before it were added in transport. */
function softBreakAfter(body: Buffer, from: number): number {
  let at = from;
  while (body[at] === 0x20 || body[at] === 0x09) at++;
  if (body[at] === CR && body[at + 1] === LF) return at + 2 - from;
  if (body[at] === LF) return at + 1 - from;
  return at === body.length ? at - from : -1;
}

function hexOf(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
