import { isUtf8 } from 'node:buffer';

/** In UTF-8 these bytes begin no other character, and are no part of one. */
const REPLACEMENT_BYTES = Buffer.from('\ufffd').toString('latin1');
/** Shorter pieces are joined, because readers search a row that has not ended again with each piece. */
const SHORTEST_PIECE = 16 * 1024;

/**
 * Decodes UTF-8 that arrives in pieces of any length, without its byte order mark. Bytes that are not UTF-8 become lone
 * surrogates, which no UTF-8 contains: `isWellFormed` distinguishes them from a replacement character in the text.
 */
export async function* decodedPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let begun: Uint8Array = new Uint8Array();
  let isFirst = true;
  for await (const piece of joinedPieces(pieces)) {
    const bytes = begun.length === 0 ? piece : Buffer.concat([begun, piece]);
    const end = endOfCharacters(bytes);
    begun = bytes.subarray(end);
    if (end === 0) continue;
    const text = decode(bytes.subarray(0, end));
    yield isFirst && text.startsWith('\ufeff') ? text.slice(1) : text;
    isFirst = false;
  }
  yield decode(begun);
}

async function* joinedPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Copied, because a byte of a piece may keep all the memory into which it was read.
  const short = Buffer.allocUnsafeSlow(SHORTEST_PIECE);
  let length = 0;
  try {
    for await (const piece of pieces) {
      if (length + piece.length < SHORTEST_PIECE) {
        short.set(piece, length);
        length += piece.length;
        continue;
      }
      yield length === 0 ? piece : Buffer.concat([short.subarray(0, length), piece]);
      length = 0;
    }
  } catch (error) {
    // Of a body that breaks off, what has arrived is read.
    yield short.subarray(0, length);
    throw error;
  }
  yield short.subarray(0, length);
}

/** Position of the last character, if it is incomplete: its other bytes are in the next piece. */
function endOfCharacters(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= 0 && at >= bytes.length - 3; at--) {
    const byte = bytes[at]!;
    const isContinuation = byte >> 6 === 0b10;
    if (!isContinuation) return at + lengthOfCharacter(byte) > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}

function lengthOfCharacter(firstByte: number): number {
  if (firstByte < 0xc0) return 1;
  if (firstByte < 0xe0) return 2;
  return firstByte < 0xf0 ? 3 : 4;
}

function decode(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (isUtf8(bytes)) return buffer.toString();
  const parts = buffer.toString('latin1').split(REPLACEMENT_BYTES);
  return parts.map((part) => Buffer.from(part, 'latin1').toString().replaceAll('\ufffd', '\udfff')).join('\ufffd');
}
