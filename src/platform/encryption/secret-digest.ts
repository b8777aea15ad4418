import { createHash, timingSafeEqual } from 'node:crypto';

/** Digests have equal lengths, so the time of the comparison reveals nothing about either secret. */
export function isSameSecret(one: string | Buffer, other: string | Buffer): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}

export function sha256(secret: string | Buffer): Buffer {
  return createHash('sha256').update(secret).digest();
}
