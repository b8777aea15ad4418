import { promises as dns } from 'node:dns';
import type { EgressPolicy } from './outbound-policy.js';

/** Finds the addresses of a name. @throws an error whose `code` says why there is none */
export type HostAddresses = (hostname: string) => Promise<readonly string[]>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;
const LOOPBACK_NAME = /^(.*\.)?localhost\.?$/;
const NOT_THERE = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Asks the system's name servers without blocking: the operating system's own look-up takes one of a few threads
 * for as long as a dead name server likes, and everybody's look-ups would queue behind it. It is asked only for names
 * that name servers do not know, such as those of a hosts file: names without a dot, of which no stranger has the name
 * servers, and any name in a closed network.
 */
export function addressFinder({ allowPrivateAddresses }: Pick<EgressPolicy, 'allowPrivateAddresses'>): HostAddresses {
  return async (hostname) => {
    if (LOOPBACK_NAME.test(hostname)) return ['127.0.0.1', '::1']; // RFC 6761, 6.3
    const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
    const trouble = failures.find((reason) => !NOT_THERE.has(codeOf(reason)));
    if (trouble !== undefined) throw trouble;
    if (!allowPrivateAddresses && hostname.includes('.')) throw failures[0];
    return (await dns.lookup(hostname, { all: true })).map(({ address }) => address);
  };
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? '');
}
