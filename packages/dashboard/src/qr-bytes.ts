/*
 * The bytes of QR codes (ISO/IEC 18004), with the lowest error correction, because screens have no scratches.
 */

/** By version: error correction bytes of each block, and the number of blocks. */
const BLOCKS: readonly (readonly [number, number])[] = [
  [7, 1],
  [10, 1],
  [15, 1],
  [20, 1],
  [26, 1],
  [18, 2],
  [20, 2],
  [24, 2],
  [30, 2],
  [18, 4],
  [20, 4],
  [24, 4],
  [26, 4],
  [30, 4],
  [22, 6],
];
export const FIRST_WITH_VERSION = 7;
const FIRST_WITH_LONG_COUNT = 10;
const PADDING = [0xec, 0x11];

/** The bytes of a code, and its version. @throws RangeError for more than about 500 bytes */
export function qrBytes(text: string): { readonly version: number; readonly bytes: readonly number[] } {
  const bytes = new TextEncoder().encode(text);
  const version = 1 + BLOCKS.findIndex((_, place) => bytes.length <= capacity(place + 1));
  if (version === 0) throw new RangeError('The text is too long for a QR code');
  return { version, bytes: withCorrection(dataOf(bytes, version), version) };
}

/** Bytes of data and correction. */
function totalBytes(version: number): number {
  const marks = version === 1 ? 0 : Math.floor(version / 7) + 2;
  const marked = marks === 0 ? 0 : (25 * marks - 10) * marks - 55;
  const modules = (16 * version + 128) * version + 64 - marked - (version < FIRST_WITH_VERSION ? 0 : 36);
  return Math.floor(modules / 8);
}

function dataBytes(version: number): number {
  const [correction, blocks] = BLOCKS[version - 1]!;
  return totalBytes(version) - correction * blocks;
}

function capacity(version: number): number {
  return dataBytes(version) - (version < FIRST_WITH_LONG_COUNT ? 2 : 3);
}

/** Mode, length, bytes and padding. */
function dataOf(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number): void => {
    for (let bit = length - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  push(0b0100, 4);
  push(bytes.length, version < FIRST_WITH_LONG_COUNT ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  push(0, 4);
  const data = Array.from({ length: bits.length / 8 }, (_, at) => parseInt(bits.slice(at * 8, at * 8 + 8).join(''), 2));
  for (let pad = 0; data.length < dataBytes(version); pad++) data.push(PADDING[pad % 2]!);
  return data;
}

/** The data in blocks, each with its correction, one byte of each block after the other. */
function withCorrection(data: readonly number[], version: number): number[] {
  const [correction, count] = BLOCKS[version - 1]!;
  const short = Math.floor(data.length / count);
  const long = data.length % count;
  const blocks: number[][] = [];
  for (let block = 0, at = 0; block < count; block++) {
    const length = short + (block < count - long ? 0 : 1);
    blocks.push(data.slice(at, at + length));
    at += length;
  }
  const corrections = blocks.map((block) => remainder(block, correction));
  return [...interleave(blocks), ...interleave(corrections)];
}

function interleave(blocks: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...blocks.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => blocks.flatMap((block) => block.slice(at, at + 1))).flat();
}

/** Product in the field of 256 elements of the standard. */
function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ (product >> 7 ? 0x11d : 0);
    if ((b >> bit) & 1) product ^= a;
  }
  return product;
}

/** Reed-Solomon: the remainder of the data divided by (x - 1)(x - 2)(x - 4) … of the given degree. */
function remainder(data: readonly number[], degree: number): number[] {
  let generator = [1];
  for (let power = 0, root = 1; power < degree; power++, root = times(root, 2)) {
    const shifted = [...generator, 0];
    generator = shifted.map((value, at) => value ^ times(generator[at - 1] ?? 0, root));
  }
  const rest = [...data, ...Array<number>(degree).fill(0)];
  for (let at = 0; at < data.length; at++) {
    const factor = rest[at]!;
    generator.forEach((value, offset) => (rest[at + offset]! ^= times(value, factor)));
  }
  return rest.slice(data.length);
}
