import { randomBytes } from 'node:crypto';
import {
  EMAIL_TRACKING_ID_LENGTH,
  TRACKING_ID_RANDOM_BYTES,
  generateEmailTrackingId,
  signingKeyOf,
} from './email-tracking-id.js';
import { byteGroup } from './fast-mac/base64url.js';
import type { HmacSha256 } from './fast-mac/hmac-sha256.js';
import type { SigningKey, SigningKeys } from './signing-keys.js';
import { subKeysOf } from './signing-subkeys.js';

/*
 * Of the 12 random bytes of an email tracking ID, the last 4 hold a tag of its organization under a mask:
 *   8 random bytes | tag XOR mask
 * The tag is a MAC of the organization's ID, the mask a MAC of the 8 bytes. Without the signing key, the bytes are
 * indistinguishable from random and IDs of one organization have nothing in common, but the tracking edge reads the tag
 * without any lookup. IDs of earlier releases have random bytes there, so they can have any tag.
 */
const RANDOM_BYTES = 8;
const TAG_END = 12;

/** The tag that an ID carries under its key. */
export interface CarriedTag {
  readonly keyId: number;
  /** 32 bits. */
  readonly tag: number;
}

/**
 * Creates the tracking ID of a new email of the organization with the newest key.
 * @param organizationId a UUID in lower case
 * @param random 12 bytes from a cryptographic source
 */
export function generateTrackingIdOf(
  keys: SigningKeys,
  organizationId: string,
  random: Uint8Array = randomBytes(TRACKING_ID_RANDOM_BYTES),
): string {
  return generateEmailTrackingId(keys, withOrganizationTag(keys, organizationId, random));
}

/**
 * Puts the tag of an organization into the random bytes of a new email tracking ID.
 * @param random 12 bytes from a cryptographic source
 */
export function withOrganizationTag(keys: SigningKeys, organizationId: string, random: Uint8Array): Uint8Array {
  const tagged = Buffer.from(random);
  const tag = organizationTagOf(keys.newest, organizationId) ^ maskOf(keys.newest, tagged);
  tagged.writeInt32BE(tag, RANDOM_BYTES);
  return tagged;
}

/** The tag of an organization in the IDs that a key has signed. @param organizationId a UUID in lower case */
export function organizationTagOf(key: SigningKey, organizationId: string): number {
  return firstBits(subKeysOf(key).organizationTag, organizationId);
}

/** @param emailTrackingId a valid ID. @returns undefined if its key is not known */
export function carriedTagOf(keys: SigningKeys, emailTrackingId: string): CarriedTag | undefined {
  const key = signingKeyOf(keys, emailTrackingId);
  if (key === undefined) return undefined;
  const bytes = Buffer.from(emailTrackingId.slice(0, (EMAIL_TRACKING_ID_LENGTH * 2) / 3), 'base64url');
  return { keyId: key.id, tag: bytes.readInt32BE(RANDOM_BYTES) ^ maskOf(key, bytes) };
}

function maskOf(key: SigningKey, random: Buffer): number {
  if (random.length !== TAG_END) throw new RangeError(`An email tracking ID takes ${TAG_END} random bytes`);
  // Shorter than the ID of any organization, so that no mask is the tag of one.
  return firstBits(subKeysOf(key).organizationTag, random.toString('base64url', 0, RANDOM_BYTES));
}

function firstBits(hmac: HmacSha256, text: string): number {
  const mac = hmac.digest(text);
  return (byteGroup(mac, 0) << 8) | mac.charCodeAt(3);
}
