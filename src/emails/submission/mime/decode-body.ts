import { setImmediate } from 'node:timers/promises';
import { decodeText, fieldOf } from './header-fields.js';
import { MessageProblem } from './message-problem.js';
import type { MimeEntity } from './read-entity.js';

/** Bytes that are decoded in one turn of the event loop. */
const SLICE_BYTES = 1024 * 1024;
/** More bytes than this cannot become one: `=C3` and line breaks. */
const MAX_EXPANSION = 3.2;
/** By byte, whether it is one of base64. */
const IS_DIGIT = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9+/]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
const EQUALS = 0x3d;
const CR = 0x0d;
const LF = 0x0a;

/** The content of an entity without its transfer encoding. @throws MessageProblem */
export async function decodeBody({ fields, body }: Pick<MimeEntity, 'fields' | 'body'>): Promise<Buffer> {
  const written = fieldOf(fields, 'content-transfer-encoding') ?? '';
  const encoding = /^[^\s(;]*/.exec(written)![0].toLowerCase() || '7bit';
  switch (encoding) {
    case '7bit':
    case '8bit':
    case 'binary':
      return body;
    case 'base64':
      return decodeBase64(body);
    case 'quoted-printable':
      return decodeQuotedPrintable(body);
    default:
      throw new MessageProblem(`The transfer encoding "${encoding.slice(0, 40)}" is unknown`);
  }
}

/** The content of a text part. @param maxBytes decoded. @throws MessageProblem */
export async function decodeTextBody(entity: MimeEntity, maxBytes: number): Promise<string> {
  const tooLarge = `A part of the type ${entity.type} has more than ${maxBytes / 1024 / 1024} MB`;
  if (entity.body.length > maxBytes * MAX_EXPANSION) throw new MessageProblem(tooLarge);
  const bytes = await decodeBody(entity);
  if (bytes.length > maxBytes) throw new MessageProblem(tooLarge);
  return decodeText(bytes, entity.typeParameters.get('charset'));
}

/** Byte by byte: a regular expression needs 0.3 s for a slice with a line break after every digit. */
async function decodeBase64(body: Buffer): Promise<Buffer> {
  const decoded = Buffer.allocUnsafe(body.length);
  const digits = Buffer.allocUnsafe(SLICE_BYTES + 3);
  let [length, kept] = [0, 0];
  for (let from = 0; from < body.length; from += SLICE_BYTES) {
    for (const byte of body.subarray(from, from + SLICE_BYTES)) if (IS_DIGIT[byte]) digits[kept++] = byte;
    const whole = kept - (kept % 4);
    length += decoded.write(digits.toString('latin1', 0, whole), length, 'base64');
    digits.copyWithin(0, whole, kept);
    kept -= whole;
    await setImmediate();
  }
  length += decoded.write(digits.toString('latin1', 0, kept), length, 'base64');
  return decoded.subarray(0, length);
}

/** RFC 2045, 6.7. An equals sign that encodes nothing stays. */
async function decodeQuotedPrintable(body: Buffer): Promise<Buffer> {
  const decoded = Buffer.allocUnsafe(body.length);
  let [at, length] = [0, 0];
  while (at < body.length) {
    const end = Math.min(at + SLICE_BYTES, body.length);
    while (at < end) {
      const byte = body[at]!;
      const skipped = byte === EQUALS ? encodedAt(body, at) : undefined;
      if (skipped?.byte !== undefined) decoded[length++] = skipped.byte;
      else if (!skipped) decoded[length++] = byte;
      at += skipped?.length ?? 1;
    }
    await setImmediate();
  }
  return decoded.subarray(0, length);
}

/** What an equals sign encodes: a byte, or a line break that the encoding added; undefined if it is text. */
function encodedAt(body: Buffer, at: number): { readonly length: number; readonly byte?: number } | undefined {
  const [first, second] = [hexOf(body[at + 1]), hexOf(body[at + 2])];
  if (first >= 0 && second >= 0) return { length: 3, byte: first * 16 + second };
  let end = at + 1;
  // Blanks before a line break were added in transport. Encoded lines have at most 76 characters.
  while (end - at < 100 && (body[end] === 0x20 || body[end] === 0x09)) end++;
  if (body[end] === CR && body[end + 1] === LF) return { length: end + 2 - at };
  if (body[end] === LF) return { length: end + 1 - at };
  return end >= body.length ? { length: end - at } : undefined;
}

function hexOf(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
