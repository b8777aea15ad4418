import { isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The range that IANA allocates for global unicast. Addresses outside of it are special, mapped or unassigned. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];
/** Translated to the IPv4 address in its last 32 bits (RFC 6052). */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number];
/** In a public range, but an internal platform service on every Azure host. */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16']);

/**
 * True for a public internet address that does not belong to this host. False for private, loopback, link-local
 * (including cloud metadata services), shared, test, multicast and reserved ranges of the IANA special-purpose
 * registries (RFC 6890). IPv6 addresses that embed an IPv4 address are checked by that address, or refused.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = unwrap(ipaddr.process(spelledInHex(address)));
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv6' && !(parsed as ipaddr.IPv6).match(GLOBAL_UNICAST)) return false;
  return !PLATFORM_ADDRESSES.has(parsed.toString()) && !isOwn(parsed);
}

/** The library and the operating system read `::8.8.8.8` as different addresses; in hex they agree. */
function spelledInHex(address: string): string {
  return isIPv6(address) ? new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1) : address;
}

function unwrap(address: Address): Address {
  if (address.kind() === 'ipv4' || !(address as ipaddr.IPv6).match(NAT64)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

/** Reads the interfaces on every call, because they can change. This takes microseconds. */
function isOwn(address: Address): boolean {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some((one) => ipaddr.process(one.address).toNormalizedString() === address.toNormalizedString());
}
