import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 4096;
const RANDOM_BYTES = 10;
const pool = Buffer.allocUnsafe(POOL_BYTES);
let used = POOL_BYTES;

/**
 * A UUIDv7 (RFC 9562, 5.7): 48 bits of `milliseconds`, then 74 random bits.
 * Random bytes are drawn in bulk: one at a time costs ten times as much.
 */
export function uuidV7(milliseconds: number): string {
  if (used + RANDOM_BYTES > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const time = milliseconds.toString(16).padStart(12, '0');
  const random = pool.toString('hex', used, used + RANDOM_BYTES);
  used += RANDOM_BYTES;
  const variant = ((parseInt(random[3]!, 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}

/** Milliseconds since the Unix epoch inside a UUIDv7. */
export function timeOfUuidV7(id: string): number {
  return parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** True for a UUID of any version in its canonical lower- or upper-case form: safe to compare with a uuid column. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
