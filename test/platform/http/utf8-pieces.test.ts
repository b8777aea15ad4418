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
/** Behind it, a cut stays: shorter pieces are joined. */
const LONG = 'a'.repeat(16 * 1024);

async function decodeBehind(start: string, bytes: Uint8Array, cuts: readonly number[]): Promise<string> {
  const later = cuts.map((cut) => start.length + cut);
  const decoded = await decode(Buffer.concat([Buffer.from(start), bytes]), later);
  return decoded.slice(start.length);
}

it('decodes text in pieces that are cut anywhere, without its byte order mark', () =>
  fc.assert(
    fc.asyncProperty(anyText, anyCuts, async (text, cuts) => {
      const decoded = await decode(Buffer.from(text), cuts);
      expect(decoded).toBe(text.startsWith('\ufeff') ? text.slice(1) : text);
      expect(decoded.isWellFormed()).toBe(true);
      expect(await decodeBehind(LONG, Buffer.from(text), cuts)).toBe(text);
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
      const behind = await decodeBehind(LONG, bytes, cuts);
      expect(behind.isWellFormed()).toBe(isUtf8);
      expect(behind.toWellFormed()).toBe(bytes.toString());
    }),
  ));

it('joins short pieces, so that nothing is searched again for each byte', async () => {
  const text = 'é'.repeat(50_000);
  const bytes = Array.from(Buffer.from(text), (byte) => Buffer.of(byte));
  const pieces: string[] = [];
  for await (const piece of decodedPieces(Readable.from(bytes))) pieces.push(piece);
  expect(pieces.join('')).toBe(text);
  expect(pieces.length).toBeLessThan(10);
});

it('decodes what has arrived of a body that breaks off', async () => {
  const broken = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a,b\n');
    yield Buffer.from('c,d\n');
    throw new Error('too slow');
  };
  let text = '';
  const reading = (async () => {
    for await (const piece of decodedPieces(broken())) text += piece;
  })();
  await expect(reading).rejects.toThrow('too slow');
  expect(text).toBe('a,b\nc,d\n');
});
