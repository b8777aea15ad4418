import { FIRST_WITH_VERSION, qrBytes } from './qr-bytes.js';

/*
 * The drawing of QR codes (ISO/IEC 18004).
 */

/** The generators for the codes of the format and the version, and the mask of the format. */
const FORMAT_GENERATOR = 0b10100110111;
const FORMAT_MASK = 0b101010000010010;
const VERSION_GENERATOR = 0b1111100100101;
/** Level L. */
const LEVEL = 0b01;

/** Rows of modules: true for a dark one, undefined where bytes go. */
type Grid = (boolean | undefined)[][];

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** @returns rows of modules, true for a dark one. @throws RangeError for more than about 500 bytes */
export function qrCode(text: string): readonly (readonly boolean[])[] {
  const { version, bytes } = qrBytes(text);
  const grid = frame(version);
  const bits = bytes.flatMap((byte) => Array.from({ length: 8 }, (_, bit) => ((byte >> (7 - bit)) & 1) === 1));
  const drawn = MASKS.map((_, mask) => draw(grid, bits, mask));
  return drawn.reduce((best, one) => (unrest(one) < unrest(best) ? one : best));
}

/** Everything except the bytes and the format. */
function frame(version: number): Grid {
  const size = 17 + 4 * version;
  const grid: Grid = Array.from({ length: size }, () => Array<boolean | undefined>(size).fill(undefined));
  for (let at = 0; at < size; at++) grid[6]![at] = grid[at]![6] = at % 2 === 0;
  const corners = [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const;
  for (const [x, y] of corners) square(grid, x, y, 4, [2, 4]);
  const marks = alignment(version, size);
  for (const x of marks)
    for (const y of marks) if (!corners.some((corner) => near(corner, x, y))) square(grid, x, y, 2, [1]);
  if (version >= FIRST_WITH_VERSION) drawVersion(grid, version);
  drawFormat(grid, 0);
  return grid;
}

/** Rings around a point; those at the given distances are light. */
function square(grid: Grid, x: number, y: number, radius: number, light: readonly number[]): void {
  for (let row = y - radius; row <= y + radius; row++) {
    const line = grid[row] ?? [];
    for (let column = x - radius; column <= x + radius; column++) {
      const distance = Math.max(Math.abs(row - y), Math.abs(column - x));
      if (column in line) line[column] = !light.includes(distance);
    }
  }
}

/** The positions of alignment marks, in both directions. */
function alignment(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = size - 7;
  const step = 2 * Math.ceil((last - 6) / (count - 1) / 2);
  return [6, ...Array.from({ length: count - 1 }, (_, at) => last - step * (count - 2 - at))];
}

const near = ([x, y]: readonly [number, number], column: number, row: number): boolean =>
  Math.abs(x - column) < 5 && Math.abs(y - row) < 5;

/** A number followed by its remainder after division by the generator, which is one bit longer than the remainder. */
function withRemainder(value: number, generator: number): number {
  const length = 31 - Math.clz32(generator);
  let rest = value << length;
  for (let bit = 31 - Math.clz32(rest); rest >> length !== 0; bit = 31 - Math.clz32(rest))
    rest ^= generator << (bit - length);
  return (value << length) | rest;
}

function drawVersion(grid: Grid, version: number): void {
  const bits = withRemainder(version, VERSION_GENERATOR);
  for (let bit = 0; bit < 18; bit++) {
    const [near, far] = [Math.floor(bit / 3), grid.length - 11 + (bit % 3)];
    grid[near]![far] = grid[far]![near] = ((bits >> bit) & 1) === 1;
  }
}

/** Twice, around the corners. */
function drawFormat(grid: Grid, mask: number): void {
  const size = grid.length;
  const bits = withRemainder((LEVEL << 3) | mask, FORMAT_GENERATOR) ^ FORMAT_MASK;
  for (let bit = 0; bit < 15; bit++) {
    const dark = ((bits >> bit) & 1) === 1;
    const down = bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit;
    const across = bit < 8 ? size - 1 - bit : bit === 8 ? 7 : 14 - bit;
    grid[down]![8] = dark;
    grid[8]![across] = dark;
  }
  grid[size - 8]![8] = true;
}

/** Bytes go up and down in pairs of columns, from the right. */
function draw(frame: Grid, bits: readonly boolean[], mask: number): boolean[][] {
  const grid = frame.map((row) => [...row]);
  const size = grid.length;
  let next = 0;
  for (let pair = 0, right = size - 1; right > 0; pair++, right -= right === 8 ? 3 : 2)
    for (let step = 0; step < size; step++)
      for (const x of [right, right - 1]) {
        const y = pair % 2 === 0 ? size - 1 - step : step;
        if (frame[y]![x] === undefined) grid[y]![x] = (bits[next++] ?? false) !== MASKS[mask]!(x, y);
      }
  drawFormat(grid, mask);
  return grid.map((row) => row.map((module) => module === true));
}

/** The penalty score of a drawing: for equal neighbors, and for too much of one color. */
function unrest(grid: readonly (readonly boolean[])[]): number {
  let alike = 0;
  let dark = 0;
  grid.forEach((row, y) =>
    row.forEach((module, x) => {
      dark += module ? 1 : 0;
      alike += (row[x + 1] === module ? 1 : 0) + (grid[y + 1]?.[x] === module ? 1 : 0);
    }),
  );
  return alike + Math.abs(2 * dark - grid.length ** 2);
}
