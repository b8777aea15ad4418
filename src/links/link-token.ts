import { bytesIn, bytesOf } from './base64url.js';
import { EMAIL_TRACKING_ID_LENGTH, signingKeyOf } from './email-tracking-id.js';
import { subKeysOf } from './signing-subkeys.js';
import type { SigningKey, SigningKeys } from './signing-keys.js';

/** What a link token carries: everything a click needs to be counted and redirected without a look-up. */
export interface SignedLink {
  readonly emailTrackingId: string;
  /** 0 for the first tracked link of the email. */
  readonly position: number;
  /** The destination: an absolute http or https URL, as the reader's browser would have seen it. */
  readonly url: string;
}

/** An email's tracking ID names a key that this process does not know. */
export class UnknownSigningKeyError extends Error {
  constructor() {
    super('The signing key of this email is not known');
    this.name = 'UnknownSigningKeyError';
  }
}

/*
 * code (16 characters, 96 bits) | email tracking ID (24 characters, its key id included) | base64url of
 *   2 bytes: beginning of the URL (index into BEGINNINGS) * 1024 + position | rest of the URL in UTF-8
 * The code is computed over the text that follows it, not over decoded bytes: each token has one spelling only.
 * The code comes first, so that tokens of one email share no beginning.
 */
const CODE_BYTES = 12;
const CODE_LENGTH = 16;
const PAYLOAD_START = CODE_LENGTH + EMAIL_TRACKING_ID_LENGTH;
const SHAPE = /^[A-Za-z0-9_-]{43,}$/;

/** Spelled as one number. The order is part of the format: append only. */
const BEGINNINGS = ['', 'https://', 'http://', 'https://www.', 'http://www.'] as const;
export const MAX_LINKS = 1000;
const POSITIONS = 1024;
export const MAX_URL_BYTES = 8192;
const MAX_TOKEN_LENGTH = PAYLOAD_START + Math.ceil(((2 + MAX_URL_BYTES) * 4) / 3);
const WEB_URL = /^https?:\/\//i;

/**
 * The tracking ID of a link, signed with the key of its email's tracking ID, so that rendering an email again gives
 * the same bytes after a rotation. Its length is 43 characters plus 4/3 of the URL's bytes after its beginning.
 * @throws UnknownSigningKeyError if the email's key is not among `keys`
 * @throws RangeError if the position or the URL cannot be carried
 */
export function signLink(keys: SigningKeys, { emailTrackingId, position, url }: SignedLink): string {
  const key = signingKeyOf(keys, emailTrackingId);
  if (key === undefined) throw new UnknownSigningKeyError();
  if (!Number.isInteger(position) || position < 0 || position >= POSITIONS) throw new RangeError('No such position');
  if (!WEB_URL.test(url) || Buffer.byteLength(url) > MAX_URL_BYTES) throw new RangeError('Not a URL to be tracked');
  const beginning = beginningOf(url);
  const rest = url.slice(BEGINNINGS[beginning]!.length);
  const payload = Buffer.allocUnsafe(2 + Buffer.byteLength(rest));
  payload.writeUInt16BE(beginning * POSITIONS + position);
  payload.write(rest, 2);
  const signed = emailTrackingId + payload.toString('base64url');
  const code = Buffer.from(subKeysOf(key).linkToken.digest(signed), 'latin1').toString('base64url', 0, CODE_BYTES);
  return code + signed;
}

/** What a token carries; undefined unless one of the keys signed exactly this text and it leads to http or https. */
export function readLink(keys: SigningKeys, token: string): SignedLink | undefined {
  if (token.length > MAX_TOKEN_LENGTH || !SHAPE.test(token)) return undefined;
  const emailTrackingId = token.slice(CODE_LENGTH, PAYLOAD_START);
  const key = signingKeyOf(keys, emailTrackingId);
  if (key === undefined) return undefined;
  if (!hasItsCode(key, token)) return undefined;
  const payload = Buffer.from(token.slice(PAYLOAD_START), 'base64url');
  const head = payload.readUInt16BE(0);
  const beginning = BEGINNINGS[Math.floor(head / POSITIONS)];
  if (beginning === undefined) return undefined;
  const url = beginning + payload.toString('utf8', 2);
  return WEB_URL.test(url) ? { emailTrackingId, position: head % POSITIONS, url } : undefined;
}

/** Compares all 96 bits in any case, so that a forger learns nothing from how long the refusal took. */
function hasItsCode(key: SigningKey, token: string): boolean {
  const code = subKeysOf(key).linkToken.digest(token.slice(CODE_LENGTH));
  let wrongBits = 0;
  for (let at = 0; at < CODE_LENGTH; at += 4) wrongBits |= bytesIn(token, at) ^ bytesOf(code, (at >> 2) * 3);
  return wrongBits === 0;
}

function beginningOf(url: string): number {
  if (url.startsWith('https://')) return url.startsWith('www.', 8) ? 3 : 1;
  if (url.startsWith('http://')) return url.startsWith('www.', 7) ? 4 : 2;
  return 0;
}
