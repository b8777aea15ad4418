import { timingSafeEqual } from 'node:crypto';
import { decodeBase32, encodeBase32 } from './base32.js';
import { signingKeyOf } from './email-tracking-id.js';
import { UnknownSigningKeyError } from './link-token.js';
import { subKeysOf } from './signing-subkeys.js';
import type { SigningKey, SigningKeys } from './signing-keys.js';

/** Contents of a return path: they identify the email of a bounce without any lookup. */
export interface ReturnPath {
  readonly emailTrackingId: string;
  /**
   * Position of the recipient among the addresses of to, cc and bcc. Absent if the message went to several recipients.
   */
  readonly position?: number;
}

/*
 * A variable envelope return path: b+<token>@<domain>. The token is base32 of 30 bytes, 48 characters:
 *   18 bytes of email tracking ID, including the key ID | 1 byte: position, 255 for none | 11 bytes of MAC
 * Base32 because mail servers may change the case of an address. The local part has 50 of at most 64 characters
 * (RFC 5321, 4.5.3.1.1), and 30 bytes leave no spare bits, so each token has one spelling apart from its case.
 */
const TRACKING_ID_BYTES = 18;
const MAC_BYTES = 11;
const NO_POSITION = 255;
const LOCAL_PART = /^b\+([a-z2-7]{48})$/;

/**
 * Creates the envelope sender of a message. It is signed with the key of the email's tracking ID, so that a later
 * attempt after a key rotation has the same one.
 * @throws UnknownSigningKeyError if the email's key is not among `keys`
 * @throws RangeError if the position does not fit into a token
 */
export function signReturnPath(keys: SigningKeys, { emailTrackingId, position }: ReturnPath, domain: string): string {
  const key = signingKeyOf(keys, emailTrackingId);
  if (key === undefined) throw new UnknownSigningKeyError();
  const place = position ?? NO_POSITION;
  if (!Number.isInteger(place) || place < 0 || (place >= NO_POSITION && position !== undefined)) {
    throw new RangeError('No such position');
  }
  const token = Buffer.concat([
    Buffer.from(emailTrackingId, 'base64url'),
    Buffer.of(place),
    macOf(key, emailTrackingId, place),
  ]);
  return `b+${encodeBase32(token)}@${domain}`;
}

/**
 * Reads an address without regard to case. Undefined unless it is a return path under `domain` that one of the keys
 * signed. Takes the same time for every wrong MAC.
 */
export function readReturnPath(keys: SigningKeys, address: string, domain: string): ReturnPath | undefined {
  const at = address.lastIndexOf('@');
  if (address.slice(at + 1).toLowerCase() !== domain.toLowerCase()) return undefined;
  const text = LOCAL_PART.exec(address.slice(0, Math.max(at, 0)).toLowerCase())?.[1];
  if (text === undefined) return undefined;
  const token = decodeBase32(text);
  const emailTrackingId = token.toString('base64url', 0, TRACKING_ID_BYTES);
  const key = signingKeyOf(keys, emailTrackingId);
  if (key === undefined) return undefined;
  const position = token[TRACKING_ID_BYTES]!;
  const mac = macOf(key, emailTrackingId, position);
  if (!timingSafeEqual(mac, token.subarray(TRACKING_ID_BYTES + 1))) return undefined;
  return { emailTrackingId, ...(position !== NO_POSITION && { position }) };
}

function macOf(key: SigningKey, emailTrackingId: string, position: number): Buffer {
  const digest = subKeysOf(key).returnPath.digest(`${emailTrackingId}.${position}`);
  return Buffer.from(digest, 'latin1').subarray(0, MAC_BYTES);
}
