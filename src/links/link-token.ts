import { EMAIL_TRACKING_ID_LENGTH, signingKeyOf } from './email-tracking-id.js';
import { subKeysOf } from './signing-subkeys.js';
import type { SigningKeys } from './signing-keys.js';
import { hasValidMac, MAC_LENGTH, macOf } from './token-mac.js';

/** Contents of a link token: all data needed to count and redirect a click without a database lookup. */
export interface SignedLink {
  readonly emailTrackingId: string;
  /** 0 for the first tracked link of the email. */
  readonly position: number;
  /** The destination: an absolute http or https URL, as the browser reads it from the HTML. */
  readonly url: string;
}

/** The tracking ID of an email refers to a key that this process does not know. */
export class UnknownSigningKeyError extends Error {
  constructor() {
    super('The signing key of this email is not known');
    this.name = 'UnknownSigningKeyError';
  }
}

/*
 * MAC (16 characters, 96 bits) | email tracking ID (24 characters, including the key ID) | base64url of
 *   2 bytes: URL prefix (index into PREFIXES) * 1024 + position | rest of the URL in UTF-8
 * The MAC covers the text that follows it, not the decoded bytes, so each token has only one spelling.
 * The MAC comes first, so that tokens of one email do not share a prefix.
 */
const PAYLOAD_START = MAC_LENGTH + EMAIL_TRACKING_ID_LENGTH;
const SHAPE = /^[A-Za-z0-9_-]{43,}$/;

/** Encoded as an index. The order is part of the format: append only. */
const PREFIXES = ['', 'https://', 'http://', 'https://www.', 'http://www.'] as const;
export const MAX_LINKS = 1000;
const POSITIONS = 1024;
export const MAX_URL_BYTES = 8192;
const MAX_TOKEN_LENGTH = PAYLOAD_START + Math.ceil(((2 + MAX_URL_BYTES) * 4) / 3);
const WEB_URL = /^https?:\/\//i;

/**
 * Creates the token of a link. It is signed with the key of the email's tracking ID, so that rendering an email again
 * gives the same bytes after a key rotation. Its length is 43 characters plus 4/3 of the URL's bytes after the prefix.
 * @throws UnknownSigningKeyError if the email's key is not among `keys`
 * @throws RangeError if the position or the URL does not fit into a token
 */
export function signLink(keys: SigningKeys, { emailTrackingId, position, url }: SignedLink): string {
  const payload = linkPayload(position, url);
  return linkMac(keys, emailTrackingId, payload) + emailTrackingId + payload;
}

/**
 * The end of a token, which is the same for all emails with this link at this position.
 * @throws RangeError if the position or the URL does not fit into a token
 */
export function linkPayload(position: number, url: string): string {
  if (!Number.isInteger(position) || position < 0 || position >= POSITIONS) throw new RangeError('No such position');
  if (!WEB_URL.test(url) || Buffer.byteLength(url) > MAX_URL_BYTES) throw new RangeError('Not a URL to be tracked');
  const prefix = prefixIndexOf(url);
  const rest = url.slice(PREFIXES[prefix]!.length);
  const payload = Buffer.allocUnsafe(2 + Buffer.byteLength(rest));
  payload.writeUInt16BE(prefix * POSITIONS + position);
  payload.write(rest, 2);
  return payload.toString('base64url');
}

/** The beginning of a token. The tracking ID stands between it and the payload. @throws UnknownSigningKeyError */
export function linkMac(keys: SigningKeys, emailTrackingId: string, payload: string): string {
  const key = signingKeyOf(keys, emailTrackingId);
  if (key === undefined) throw new UnknownSigningKeyError();
  return macOf(subKeysOf(key).linkToken, emailTrackingId + payload);
}

/** Reads a token. Undefined unless one of the keys signed exactly this text and its URL is http or https. */
export function readLink(keys: SigningKeys, token: string): SignedLink | undefined {
  if (token.length > MAX_TOKEN_LENGTH || !SHAPE.test(token)) return undefined;
  const emailTrackingId = token.slice(MAC_LENGTH, PAYLOAD_START);
  const key = signingKeyOf(keys, emailTrackingId);
  if (key === undefined || !hasValidMac(subKeysOf(key).linkToken, token)) return undefined;
  const payload = Buffer.from(token.slice(PAYLOAD_START), 'base64url');
  const head = payload.readUInt16BE(0);
  const prefix = PREFIXES[Math.floor(head / POSITIONS)];
  if (prefix === undefined) return undefined;
  const url = prefix + payload.toString('utf8', 2);
  return WEB_URL.test(url) ? { emailTrackingId, position: head % POSITIONS, url } : undefined;
}

function prefixIndexOf(url: string): number {
  if (url.startsWith('https://')) return url.startsWith('www.', 8) ? 3 : 1;
  if (url.startsWith('http://')) return url.startsWith('www.', 7) ? 4 : 2;
  return 0;
}
