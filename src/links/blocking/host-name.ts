import { parseUrl } from '../../platform/addresses/parse-url.js';

/**
 * The host of an address as a browser reads it: in lower case, IP addresses and non-ASCII names in their canonical
 * spelling.
 */
export function destinationHostOf(url: string): string | undefined {
  const host = parseUrl(url)?.hostname.replace(/\.$/, '');
  if (!host) return undefined;
  return mappedAddressOf(host) ?? host;
}

/** An IPv4 address in IPv6 form (RFC 4291, 2.5.5.2) leads to the same server: `[::ffff:7f00:1]` is 127.0.0.1. */
function mappedAddressOf(host: string): string | undefined {
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const groups = [parseInt(high, 16), parseInt(low, 16)];
  return groups.flatMap((group) => [group >> 8, group & 0xff]).join('.');
}

/**
 * Converts a host that an operator entered to the spelling of `destinationHostOf`. Undefined for anything else, such as
 * a whole address.
 */
export function readHostName(text: string): string | undefined {
  const trimmed = text.trim();
  const isHostOnly = /^\[[0-9a-f:.]+\]$/i.test(trimmed) || !/[\s/?#\\@:]/.test(trimmed);
  return isHostOnly ? destinationHostOf(`http://${trimmed}/`) : undefined;
}
