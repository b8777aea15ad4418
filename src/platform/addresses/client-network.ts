import ipaddr from 'ipaddr.js';

/**
 * The key of a client's limits: its IPv4 address, or the first 64 bits of its IPv6 address, because a host
 * can use every address of its /64 network (RFC 4291, 2.5.4).
 */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? `${hex(parsed.parts.slice(0, 4))}::/64` : parsed.toString();
}

function hex(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}
