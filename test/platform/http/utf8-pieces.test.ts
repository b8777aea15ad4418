import { Readable } from 'node:stream';
import fc from 'fast-check';
import { decodedPieces } from '../../../src/platform/http/utf8-pieces.js';

/** @param cuts where the bytes are cut into pieces */
async function decode(bytes: Uint8Array, cuts: readonly number[]): Promise<string> {
  const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].sort((a, b) => a - b);
  const pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
  let text = '';
  for await (const piece of decodedPieces(Readable.from(pieces))) text += piece;
  return text;
}

/** Characters of one to four bytes, the replacement character and byte order mark among them. */
const anyText = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '€', '\ufffd', '\ufeff', '😀', '\u{103ff}') });
const anyCuts = fc.array(fc.nat(40));

it('decodes text in pieces that are cut anywhere, without its byte order mark', () =>
  fc.assert(
    fc.asyncProperty(anyText, anyCuts, async (text, cuts) => {
      const decoded = await decode(Buffer.from(text), cuts);
      expect(decoded).toBe(text.startsWith('\ufeff') ? text.slice(1) : text);
      expect(decoded.isWellFormed()).toBe(true);
    }),
  ));

it('decodes what is not UTF-8 to lone surrogates where other decoders write U+FFFD, however it is cut', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(anyText, fc.uint8Array({ maxLength: 3 }))), anyCuts, async (parts, cuts) => {
      const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
      const decoded = await decode(bytes, cuts);
      expect(decoded.toWellFormed()).toBe(new TextDecoder().decode(bytes));
      const isUtf8 = Buffer.from(bytes.toString()).equals(bytes);
      expect(decoded.isWellFormed()).toBe(isUtf8);
    }),
  ));
