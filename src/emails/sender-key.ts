import { createHash } from 'node:crypto';
import { addressKey, domainOf } from './mailbox.js';

/** 80 bits of a digest prevent a forged match. */
const DIGEST_DIGITS = 20;
const KEY_DIGITS = 16;

/** Identifies one sender of an organization, in hexadecimal digits; stable, and different between organizations. */
export function senderDigest(organizationId: string, address: string): string {
  const digest = createHash('sha256')
    .update(`${organizationId} ${addressKey(address)}`)
    .digest('hex');
  return digest.slice(0, DIGEST_DIGITS);
}

/**
 * The key under which lists find emails by their sender. A sender that was moved to the platform's domain carries its
 * digest in its address, so that both of its addresses have the same key.
 */
export function senderKey(organizationId: string, address: string, platformDomain: string): string {
  const moved = domainOf(address) === platformDomain ? movedDigest(address) : undefined;
  const digest = moved ?? senderDigest(organizationId, address);
  return BigInt.asIntN(64, BigInt(`0x${digest.slice(0, KEY_DIGITS)}`)).toString();
}

/** True if the platform's address stands for the original one, because it carries its digest. */
export function standsFor(platformAddress: string, organizationId: string, original: string): boolean {
  return movedDigest(platformAddress) === senderDigest(organizationId, original);
}

/** The digest in the address of a sender that was moved to the platform's domain. */
function movedDigest(address: string): string | undefined {
  return /-([0-9a-f]{20})@/.exec(addressKey(address))?.[1];
}
