import { sameCode, subKeysOf } from './message-authentication.js';
import type { SigningKey, SigningKeys } from './signing-keys.js';

/*
 * 18 bytes in base64url, 24 characters without a spare bit, so that every ID has exactly one spelling:
 *   12 random bytes | 5 bytes of check | 1 byte of key id
 * The check turns garbage away without a look-up. The key id comes last: IDs of one key share no beginning.
 */
const RANDOM_BYTES = 12;
const CHECK_BYTES = 5;
export const EMAIL_TRACKING_ID_LENGTH = 24;
const SHAPE = /^[A-Za-z0-9_-]{24}$/;

/**
 * The tracking ID of a new email, made with the newest key.
 * @param random 12 bytes from a cryptographic source
 */
export function mintEmailTrackingId(keys: SigningKeys, random: Uint8Array): string {
  if (random.length !== RANDOM_BYTES) throw new RangeError(`An email tracking ID takes ${RANDOM_BYTES} random bytes`);
  const key = keys.newest;
  const randomPart = Buffer.from(random).toString('base64url');
  const end = Buffer.concat([checkOf(key, randomPart), Buffer.of(key.id)]);
  return randomPart + end.toString('base64url');
}

/** Whether this text is an ID that one of the keys has made. */
export function isEmailTrackingId(keys: SigningKeys, text: string): boolean {
  const key = signingKeyOf(keys, text);
  if (key === undefined) return false;
  const randomPart = text.slice(0, 16);
  const end = Buffer.concat([checkOf(key, randomPart), Buffer.of(key.id)]);
  return sameCode(end.toString('base64url'), text.slice(16));
}

/** The key that made this ID and signs the links of its email; undefined if the ID is malformed or its key unknown. */
export function signingKeyOf(keys: SigningKeys, emailTrackingId: string): SigningKey | undefined {
  if (!SHAPE.test(emailTrackingId)) return undefined;
  return keys.find(Buffer.from(emailTrackingId.slice(20), 'base64url')[2]!);
}

function checkOf(key: SigningKey, randomPart: string): Buffer {
  return Buffer.from(subKeysOf(key).emailTrackingId.digest(randomPart), 'base64url').subarray(0, CHECK_BYTES);
}
