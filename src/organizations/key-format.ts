import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** `mb_<12 characters of id>_<secret>`: 72 bits of id, 192 bits of secret, both base64url. */
const KEY_PATTERN = /^mb_([A-Za-z0-9-]{12})_([A-Za-z0-9_-]{32})$/;

const KEY_ID_PATTERN = /^[A-Za-z0-9-]{12}$/;

export interface MintedKey {
  readonly id: string;
  /** The whole key, to be shown once. */
  readonly key: string;
  readonly secretHash: Buffer;
}

export function mintKey(): MintedKey {
  // The id has no underscore, so that the parts of a key can be told apart by eye.
  const id = randomBytes(9).toString('base64url').replaceAll('_', '-');
  const secret = randomBytes(24).toString('base64url');
  return { id, key: `mb_${id}_${secret}`, secretHash: hashSecret(secret) };
}

/** Undefined for a text that is not shaped like a key. */
export function readKey(text: string): { id: string; secretHash: Buffer } | undefined {
  const match = KEY_PATTERN.exec(text);
  return match?.[1] && match[2] ? { id: match[1], secretHash: hashSecret(match[2]) } : undefined;
}

export function isKeyId(text: string): boolean {
  return KEY_ID_PATTERN.test(text);
}

export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
