import { randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256 } from '../platform/encryption/secret-digest.js';

/** `mb_<ID of 12 characters>_<secret>`: 72 bits of ID, 192 bits of secret, both base64url. */
const KEY_PATTERN = /^mb_([A-Za-z0-9-]{12})_([A-Za-z0-9_-]{32})$/;

const KEY_ID_PATTERN = /^[A-Za-z0-9-]{12}$/;

export interface GeneratedKey {
  readonly id: string;
  /** The full key. Shown once. */
  readonly key: string;
  readonly secretHash: Buffer;
}

export function generateKey(): GeneratedKey {
  // Without underscores in the ID, the parts of a key are easy to recognize.
  const id = randomBytes(9).toString('base64url').replaceAll('_', '-');
  const secret = randomBytes(24).toString('base64url');
  return { id, key: `mb_${id}_${secret}`, secretHash: sha256(secret) };
}

/** Returns undefined for a text that does not have the format of a key. */
export function readKey(text: string): { id: string; secretHash: Buffer } | undefined {
  const match = KEY_PATTERN.exec(text);
  return match?.[1] && match[2] ? { id: match[1], secretHash: sha256(match[2]) } : undefined;
}

export function isKeyId(text: string): boolean {
  return KEY_ID_PATTERN.test(text);
}

export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
