import { EMAIL_TRACKING_ID_LENGTH, signingKeyOf } from './email-tracking-id.js';
import { UnknownSigningKeyError } from './link-token.js';
import type { SigningKeys } from './signing-keys.js';
import { subKeysOf } from './signing-subkeys.js';
import { hasValidMac, MAC_LENGTH, withMac } from './token-mac.js';

/** Contents of an unsubscribe token: everything that its page shows, so that the page needs no database. */
export interface Unsubscription {
  readonly emailTrackingId: string;
  /** The sender of the email. */
  readonly sender: { readonly address: string; readonly name?: string };
  /** The address that the email went to. A token contains it shortened, because URLs end up in logs. */
  readonly recipient: string;
}

/*
 * MAC (16 characters, 96 bits) | email tracking ID (24 characters, including the key ID) | base64url of
 *   1 byte: version | UTF-8: sender's address NUL recipient NUL sender's name
 * The MAC covers the text that follows it, so each token has only one spelling. A token never expires.
 */
const PAYLOAD_START = MAC_LENGTH + EMAIL_TRACKING_ID_LENGTH;
const VERSION = 1;
/** More than the longest token, which the limits below keep short enough for one header line. */
const SHAPE = /^[A-Za-z0-9_-]{44,640}$/;

const MAX_NAME = 40;
const MAX_SENDER_ADDRESS = 90;
const MAX_RECIPIENT_DOMAIN = 60;
const ELLIPSIS = '…';

/**
 * Creates the token that unsubscribes the recipient of an email. Signed with the key of the email's tracking ID, so
 * that rendering an email again gives the same bytes after a key rotation.
 * @throws UnknownSigningKeyError if the email's key is not among `keys`
 */
export function signUnsubscription(keys: SigningKeys, { emailTrackingId, sender, recipient }: Unsubscription): string {
  const key = signingKeyOf(keys, emailTrackingId);
  if (key === undefined) throw new UnknownSigningKeyError();
  const fields = [
    lastCharacters(sender.address, MAX_SENDER_ADDRESS),
    shortenedAddress(recipient),
    firstCharacters(sender.name ?? '', MAX_NAME),
  ];
  const payload = Buffer.concat([Buffer.of(VERSION), Buffer.from(fields.join('\0'))]);
  return withMac(subKeysOf(key).unsubscribeToken, emailTrackingId + payload.toString('base64url'));
}

/** Reads a token. Undefined unless one of the keys signed exactly this text. */
export function readUnsubscription(keys: SigningKeys, token: string): Unsubscription | undefined {
  if (!SHAPE.test(token)) return undefined;
  const emailTrackingId = token.slice(MAC_LENGTH, PAYLOAD_START);
  const key = signingKeyOf(keys, emailTrackingId);
  if (key === undefined || !hasValidMac(subKeysOf(key).unsubscribeToken, token)) return undefined;
  const payload = Buffer.from(token.slice(PAYLOAD_START), 'base64url');
  const [address, recipient, name] = payload.toString('utf8', 1).split('\0');
  if (payload[0] !== VERSION || address === undefined || recipient === undefined) return undefined;
  return { emailTrackingId, sender: name ? { address, name } : { address }, recipient };
}

/** Enough for readers to recognize their address, but too little for others to send mail to it. */
function shortenedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const shown = Math.min(2, Math.floor(at / 2));
  return `${address.slice(0, shown)}${ELLIPSIS}@${lastCharacters(address.slice(at + 1), MAX_RECIPIENT_DOMAIN)}`;
}

function lastCharacters(text: string, count: number): string {
  return text.length <= count ? text : ELLIPSIS + text.slice(1 - count);
}

/** Never cuts a character in two. */
function firstCharacters(text: string, count: number): string {
  const characters = [...text.replaceAll('\0', '')];
  return characters.length <= count ? characters.join('') : characters.slice(0, count - 1).join('') + ELLIPSIS;
}
