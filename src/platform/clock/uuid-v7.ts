import { randomFillSync } from 'node:crypto';

/** Of 10 random bytes, one UUID takes 74 bits. */
const RANDOM_BYTES = 10;
const RANDOM_DIGITS = 20;
const POOL_IDS = 400;
const pool = Buffer.allocUnsafe(POOL_IDS * RANDOM_BYTES);
let digits = '';
let used = 0;
let beginning = '';
let beginningOf = -1;

/**
 * A UUIDv7 (RFC 9562, 5.7): 48 bits of `milliseconds`, then 74 random bits.
 * Random digits are drawn in bulk, and the beginning is kept for as long as it is the same millisecond: an ID of its
 * own costs ten times as much.
 */
export function uuidV7(milliseconds: number): string {
  if (used === digits.length) drawDigits();
  if (milliseconds !== beginningOf) {
    const time = milliseconds.toString(16).padStart(12, '0');
    beginning = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    beginningOf = milliseconds;
  }
  const at = used;
  used += RANDOM_DIGITS;
  return `${beginning}${digits.slice(at, at + 3)}-${digits.slice(at + 3, at + 7)}-${digits.slice(at + 7, at + 19)}`;
}

/** The fourth digit of each ID is its variant, binary 10xx. */
function drawDigits(): void {
  randomFillSync(pool);
  for (let at = 1; at < pool.length; at += RANDOM_BYTES) pool[at] = (pool[at]! & 0xf3) | 0x08;
  digits = pool.toString('hex');
  used = 0;
}

/** Milliseconds since the Unix epoch inside a UUIDv7. */
export function timeOfUuidV7(id: string): number {
  return parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** True for a UUID of any version in its canonical lower- or upper-case form: safe to compare with a uuid column. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
