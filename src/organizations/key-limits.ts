import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { DomainError, InvalidFieldError } from '../platform/errors/domain-error.js';
import { KEY_SCOPES, type KeyScope } from './key-scopes.js';

/** The limits of a key: what it may do, from where and until when. */
export interface KeyLimits {
  readonly scopes: readonly KeyScope[];
  readonly expiresAt: Date | null;
  /** Domains of senders, with their subdomains. Null allows all. */
  readonly allowedDomains: readonly string[] | null;
  /** Networks of clients in CIDR notation. Null allows all. */
  readonly allowedAddresses: readonly string[] | null;
}

export const NO_LIMITS: KeyLimits = {
  scopes: KEY_SCOPES,
  expiresAt: null,
  allowedDomains: null,
  allowedAddresses: null,
};

/** Bits before an IPv4 address in IPv6 form (RFC 4291, 2.5.5.2). */
const MAPPED_BITS = 96;

class StrongerKeyError extends DomainError {
  constructor(what: string) {
    super('forbidden', `A key cannot create a key that may do more than itself: ${what}`);
  }
}

class ForbiddenSenderError extends DomainError {
  constructor(domain: string) {
    super('forbidden', `This API key may not send from ${domain}`);
  }
}

export class ForbiddenAddressError extends DomainError {
  constructor() {
    super('forbidden', 'This API key may not be used from this network address');
  }
}

/** @throws StrongerKeyError when `wanted` allows anything that `creator` does not */
export function requireNoMore(creator: KeyLimits, wanted: KeyLimits): void {
  const scope = wanted.scopes.find((name) => !creator.scopes.includes(name));
  if (scope !== undefined) throw new StrongerKeyError(`it lacks the scope ${scope}`);
  if (creator.expiresAt !== null && (wanted.expiresAt === null || wanted.expiresAt > creator.expiresAt)) {
    throw new StrongerKeyError(`it expires at ${creator.expiresAt.toISOString()}`);
  }
  if (!isSubset(wanted.allowedDomains, creator.allowedDomains, isWithinDomain)) {
    throw new StrongerKeyError(`its allowedDomains are ${creator.allowedDomains!.join(', ')}`);
  }
  if (!isSubset(wanted.allowedAddresses, creator.allowedAddresses, isWithinNetwork)) {
    throw new StrongerKeyError(`its allowedAddresses are ${creator.allowedAddresses!.join(', ')}`);
  }
}

/** @param domain of the sender, in lower case. @throws ForbiddenSenderError */
export function requireSenderDomain({ allowedDomains }: Pick<KeyLimits, 'allowedDomains'>, domain: string): void {
  if (allowedDomains?.every((allowed) => !isWithinDomain(domain, allowed))) throw new ForbiddenSenderError(domain);
}

/** @param address IPv4 or IPv6 address of the client */
export function allowsClient({ allowedAddresses }: Pick<KeyLimits, 'allowedAddresses'>, address: string): boolean {
  return allowedAddresses === null || allowedAddresses.some((network) => isWithinNetwork(address, network));
}

/**
 * @returns the networks in canonical form, so that equal networks are equal texts
 * @throws InvalidFieldError for anything but addresses and CIDRs
 */
export function readNetworks(texts: readonly string[]): string[] {
  return texts.map((text) => {
    const network = parseNetwork(text.trim());
    if (network === undefined)
      throw new InvalidFieldError('allowedAddresses', 'must be IP addresses or CIDRs such as 192.0.2.0/24');
    return `${firstAddress(...network).toString()}/${network[1]}`;
  });
}

function isSubset(
  wanted: readonly string[] | null,
  allowed: readonly string[] | null,
  isWithin: (one: string, other: string) => boolean,
): boolean {
  if (allowed === null) return true;
  return wanted !== null && wanted.every((one) => allowed.some((other) => isWithin(one, other)));
}

function isWithinDomain(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}

function isWithinNetwork(inner: string, outer: string): boolean {
  const [one, other] = [parseNetwork(inner), parseNetwork(outer)];
  if (one === undefined || other === undefined || one[0].kind() !== other[0].kind()) return false;
  return one[1] >= other[1] && (one[0] as ipaddr.IPv4).match(other as [ipaddr.IPv4, number]);
}

/**
 * An address counts as the network of that address alone. IPv4 in IPv6 form becomes IPv4, because that is how the
 * addresses of clients are compared. Short forms such as `10/8` are refused: to ipaddr.js that is 0.0.0.10.
 */
function parseNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  const [, address, prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (address === undefined || isIP(address) === 0) return undefined;
  const parsed = ipaddr.parse(address);
  const longest = parsed.kind() === 'ipv4' ? 32 : 128;
  const bits = prefix === undefined ? longest : Number(prefix);
  if (bits > longest) return undefined;
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && bits >= MAPPED_BITS;
  return isMapped ? [parsed.toIPv4Address(), bits - MAPPED_BITS] : [parsed, bits];
}

/** Clears the bits behind the prefix. */
function firstAddress(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): ipaddr.IPv4 | ipaddr.IPv6 {
  const kept = (index: number): number => Math.min(8, Math.max(0, bits - 8 * index));
  return ipaddr.fromByteArray(address.toByteArray().map((byte, index) => byte & (0xff00 >> kept(index))));
}
