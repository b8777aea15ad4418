import { randomBytes } from 'node:crypto';
import { decodeGroup, byteGroup } from './fast-mac/base64url.js';
import { subKeysOf } from './signing-subkeys.js';
import { SigningKeys, type SigningKey } from './signing-keys.js';

/*
 * 18 bytes in base64url: 24 characters without spare bits, so every ID has exactly one spelling:
 *   12 random bytes | 5 bytes of MAC | 1 byte of key ID
 * The MAC rejects invalid IDs without a database lookup. The key ID comes last, so that IDs do not share a prefix.
 */
export const TRACKING_ID_RANDOM_BYTES = 12;
const RANDOM_LENGTH = 16;
const MAC_BYTES = 5;
export const EMAIL_TRACKING_ID_LENGTH = 24;
/** As long as the secrets of real keys. */
const STAND_IN_BYTES = 32;
const SHAPE = /^[A-Za-z0-9_-]{24}$/;

/**
 * Creates the tracking ID of a new email with the newest key.
 * @param random 12 bytes from a cryptographic source
 */
export function generateEmailTrackingId(keys: SigningKeys, random: Uint8Array): string {
  if (random.length !== TRACKING_ID_RANDOM_BYTES)
    throw new RangeError(`An email tracking ID takes ${TRACKING_ID_RANDOM_BYTES} random bytes`);
  const key = keys.newest;
  const randomPart = Buffer.from(random).toString('base64url');
  const mac = Buffer.from(subKeysOf(key).emailTrackingId.digest(randomPart), 'latin1').subarray(0, MAC_BYTES);
  return randomPart + Buffer.concat([mac, Buffer.of(key.id)]).toString('base64url');
}

/** True when one of the keys created this ID. Takes the same time for every wrong MAC. */
export function isEmailTrackingId(keys: SigningKeys, text: string): boolean {
  const key = signingKeyOf(keys, text);
  if (key === undefined) return false;
  const mac = subKeysOf(key).emailTrackingId.digest(text.slice(0, RANDOM_LENGTH));
  const first = decodeGroup(text, RANDOM_LENGTH) ^ byteGroup(mac, 0);
  // The last of these three bytes is the key ID.
  const second = (decodeGroup(text, RANDOM_LENGTH + 4) ^ byteGroup(mac, 3)) >>> 8;
  return (first | second) === 0;
}

/**
 * Returns the key of this ID, which also signs the email's links. Undefined if the ID is malformed or its key unknown.
 */
export function signingKeyOf(keys: SigningKeys, emailTrackingId: string): SigningKey | undefined {
  return SHAPE.test(emailTrackingId) ? keys.find(keyIdOf(emailTrackingId)) : undefined;
}

/**
 * Keys that render an email even if its own key was deleted, for callers who use none of its links and tokens: those
 * are not valid then.
 */
export function keysToRender(keys: SigningKeys, emailTrackingId: string): SigningKeys {
  if (signingKeyOf(keys, emailTrackingId) !== undefined) return keys;
  return new SigningKeys([{ id: keyIdOf(emailTrackingId), secret: randomBytes(STAND_IN_BYTES) }]);
}

function keyIdOf(emailTrackingId: string): number {
  return decodeGroup(emailTrackingId, RANDOM_LENGTH + 4) & 0xff;
}
