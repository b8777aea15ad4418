import { byteGroup, decodeGroup } from './fast-mac/base64url.js';
import type { HmacSha256 } from './fast-mac/hmac-sha256.js';

const MAC_BYTES = 12;

/** Characters of the MAC (96 bits in base64url) that begins each token. */
export const MAC_LENGTH = 16;

/**
 * The token of a text: its MAC, then the text itself. The MAC covers the characters, so each token has one spelling.
 */
export function withMac(hmac: HmacSha256, text: string): string {
  return macOf(hmac, text) + text;
}

export function macOf(hmac: HmacSha256, text: string): string {
  return Buffer.from(hmac.digest(text), 'latin1').toString('base64url', 0, MAC_BYTES);
}

/** Always compares all 96 bits, so that the response time reveals nothing to a forger. @param token in base64url */
export function hasValidMac(hmac: HmacSha256, token: string): boolean {
  const mac = hmac.digest(token.slice(MAC_LENGTH));
  let wrongBits = 0;
  for (let at = 0; at < MAC_LENGTH; at += 4) wrongBits |= decodeGroup(token, at) ^ byteGroup(mac, (at >> 2) * 3);
  return wrongBits === 0;
}
