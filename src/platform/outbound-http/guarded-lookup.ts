import { isIPv6, type LookupFunction } from 'node:net';
import { requirePublicAddresses, type OutboundPolicy } from './outbound-policy.js';
import type { HostAddresses } from './resolve-host.js';

/** Time for a connection to one of several addresses before the next one is tried too. */
export const CONNECT_ATTEMPT_MS = 2_000;

/**
 * Of a name, so many are checked and used. A name may have thousands, and checking them all would stop the process for
 * half a second.
 */
const MAX_ADDRESSES = 16;

/**
 * The DNS lookup of a connection that refuses forbidden addresses. No later lookup can substitute another address, as
 * DNS rebinding would. Connections to IP addresses need no lookup: check them before.
 */
export function guardedLookup(policy: OutboundPolicy, findAddresses: HostAddresses): LookupFunction {
  return (hostname, options, callback) => {
    const fail = (error: NodeJS.ErrnoException): void => callback(error, '', 0);
    allowedAddresses(hostname, policy, findAddresses).then((addresses) => {
      const entries = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
      const [first] = entries;
      if (!first) return fail(Object.assign(new Error('No address'), { code: 'ENOTFOUND' }));
      if (options.all) callback(null, entries);
      else callback(null, first.address, first.family);
    }, fail);
  };
}

/**
 * A name with a private address fails as one that does not exist, so that nobody learns which names our network has.
 */
async function allowedAddresses(
  hostname: string,
  policy: OutboundPolicy,
  findAddresses: HostAddresses,
): Promise<readonly string[]> {
  const found = await findAddresses(hostname).catch((error: unknown) => {
    if (policy.allowPrivateAddresses) throw error;
    return [];
  });
  const addresses = found.slice(0, MAX_ADDRESSES);
  requirePublicAddresses(addresses, policy);
  return addresses;
}
