import { Resolver } from 'node:dns/promises';

/** Shared deadline for all queries of one check. */
const DEADLINE_MS = 4_500;
/** Short enough to repeat a lost datagram within the deadline. */
const TRY_MS = 1_500;
const TRIES = 2;

/**
 * The DNS result for a name and a type. `unanswered` means that the records are unknown. `mayPass`: nobody responded,
 * or name servers failed, so that a later query may have another result; otherwise the query was refused.
 */
export type DnsResult =
  | { readonly kind: 'found'; readonly records: readonly string[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'unanswered'; readonly reason: string; readonly mayPass: boolean };

/** Queries DNS records. Never rejects. */
export interface DnsQueries {
  /** Returns each record as one string: its parts are joined without separator (RFC 7208, 3.3). */
  txt(name: string): Promise<DnsResult>;
  cname(name: string): Promise<DnsResult>;
}

/** NXDOMAIN, and a name without records of the type. */
export const NOT_FOUND_CODES: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/** Failures that say nothing about the name. */
const PASSING_CODES = new Set(['ESERVFAIL', 'ETIMEOUT', 'ECANCELLED', 'ECONNREFUSED']);

const reasonOfCode: Readonly<Record<string, string>> = {
  ESERVFAIL: 'the name servers of the domain failed (SERVFAIL)',
  EREFUSED: 'the name servers refused the query',
  ETIMEOUT: 'the name servers did not respond in time',
  ECANCELLED: 'the name servers did not respond in time',
  ECONNREFUSED: 'our DNS server cannot be reached',
};

/** DNS queries over UDP, and TCP for long responses. A response has at most 64 KB (RFC 1035, 4.2.2). */
export class DnsLookups {
  /** @param servers host:port of the servers to query; the system's if undefined */
  constructor(private readonly servers: readonly string[] | undefined) {}

  /** Runs queries that share a deadline. Queries without a response by then count as unanswered. */
  async query<Result>(query: (dns: DnsQueries) => Promise<Result>): Promise<Result> {
    // A new resolver has no state from earlier checks and can be cancelled as a whole.
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (this.servers) resolver.setServers(this.servers);
    const deadline = setTimeout(() => resolver.cancel(), DEADLINE_MS);
    try {
      return await query({
        txt: (name) => resultOf(resolver.resolveTxt(name).then((records) => records.map((parts) => parts.join('')))),
        cname: (name) => resultOf(resolver.resolveCname(name)),
      });
    } finally {
      clearTimeout(deadline);
      resolver.cancel();
    }
  }
}

async function resultOf(records: Promise<string[]>): Promise<DnsResult> {
  try {
    const found = await records;
    return found.length > 0 ? { kind: 'found', records: found } : { kind: 'none' };
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (NOT_FOUND_CODES.has(code)) return { kind: 'none' };
    const reason = reasonOfCode[code] ?? 'the DNS response could not be read';
    return { kind: 'unanswered', reason, mayPass: PASSING_CODES.has(code) };
  }
}
