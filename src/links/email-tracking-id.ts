import { bytesIn, bytesOf } from './base64url.js';
import { subKeysOf } from './signing-subkeys.js';
import type { SigningKey, SigningKeys } from './signing-keys.js';

/*
 * 18 bytes in base64url, 24 characters without a spare bit, so that every ID has exactly one spelling:
 *   12 random bytes | 5 bytes of check | 1 byte of key id
 * The check turns garbage away without a look-up. The key id comes last: IDs of one key share no beginning.
 */
const RANDOM_BYTES = 12;
const RANDOM_LENGTH = 16;
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
  const check = Buffer.from(subKeysOf(key).emailTrackingId.digest(randomPart), 'latin1').subarray(0, CHECK_BYTES);
  return randomPart + Buffer.concat([check, Buffer.of(key.id)]).toString('base64url');
}

/** Whether this text is an ID that one of the keys has made. Takes the same time for every wrong check. */
export function isEmailTrackingId(keys: SigningKeys, text: string): boolean {
  const key = signingKeyOf(keys, text);
  if (key === undefined) return false;
  const check = subKeysOf(key).emailTrackingId.digest(text.slice(0, RANDOM_LENGTH));
  const first = bytesIn(text, RANDOM_LENGTH) ^ bytesOf(check, 0);
  // The last of these three bytes is the key id.
  const second = (bytesIn(text, RANDOM_LENGTH + 4) ^ bytesOf(check, 3)) >>> 8;
  return (first | second) === 0;
}

/** The key that made this ID and signs the links of its email; undefined if the ID is malformed or its key unknown. */
export function signingKeyOf(keys: SigningKeys, emailTrackingId: string): SigningKey | undefined {
  if (!SHAPE.test(emailTrackingId)) return undefined;
  return keys.find(bytesIn(emailTrackingId, RANDOM_LENGTH + 4) & 0xff);
}
