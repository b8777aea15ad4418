import { promises as dns } from 'node:dns';
import { NOT_FOUND_CODES } from '../dns/dns-lookups.js';
import { isLoopbackName } from './loopback-name.js';
import type { OutboundPolicy } from './outbound-policy.js';

/** Resolves the addresses of a host name. @throws an error whose `code` has the reason for a failure */
export type HostAddresses = (hostname: string) => Promise<readonly string[]>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Queries the system's name servers without blocking a thread. With a dead name server, the operating system's own
 * lookup would block one of libuv's few threads, and other lookups would queue behind it. It is only the fallback for
 * names that name servers do not know, such as those of a hosts file, and only when private addresses are allowed:
 * otherwise organizations could find out which names this host has.
 */
export function addressFinder({ allowPrivateAddresses }: Pick<OutboundPolicy, 'allowPrivateAddresses'>): HostAddresses {
  return async (hostname) => {
    if (isLoopbackName(hostname)) return ['127.0.0.1', '::1'];
    const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (found.length > 0) return found;
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    const error = failures.find((reason) => !NOT_FOUND_CODES.has(codeOf(reason)));
    if (error !== undefined) throw error;
    if (!allowPrivateAddresses) throw failures[0];
    return (await dns.lookup(hostname, { all: true })).map(({ address }) => address);
  };
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? '');
}
