import { Resolver } from 'node:dns/promises';

/** Longest time of all questions of one look together. */
const DEADLINE_MS = 4_500;
/** A lost datagram is asked again within the deadline. */
const TRY_MS = 1_500;
const TRIES = 2;

/** What DNS said about a name and a type; `unanswered` tells nothing about what is there. */
export type DnsAnswer =
  | { readonly kind: 'found'; readonly records: readonly string[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'unanswered'; readonly reason: string };

/** Asks for the records of names. Never rejects. */
export interface DnsQuestions {
  /** Each record as one text: its strings joined without anything between (RFC 7208, 3.3). */
  txt(name: string): Promise<DnsAnswer>;
  cname(name: string): Promise<DnsAnswer>;
}

/** NXDOMAIN, and a name without records of the type. */
const NOTHING_THERE = new Set(['ENOTFOUND', 'ENODATA']);

const wordsOfCode: Readonly<Record<string, string>> = {
  ESERVFAIL: 'the name servers of the domain are in trouble (SERVFAIL)',
  EREFUSED: 'the name servers refused to answer',
  ETIMEOUT: 'nobody answered in time',
  ECANCELLED: 'nobody answered in time',
  ECONNREFUSED: 'our DNS server cannot be reached',
};

/** Questions to DNS, over UDP and, where answers are long, TCP; an answer has at most 64 KB (RFC 1035, 4.2.2). */
export class DnsLookups {
  /** @param servers host:port of the servers to ask; the system's when undefined */
  constructor(private readonly servers: readonly string[] | undefined) {}

  /** One look: its questions share a deadline, and what is not answered by then counts as unanswered. */
  async look<Seen>(ask: (questions: DnsQuestions) => Promise<Seen>): Promise<Seen> {
    // A resolver of its own remembers nothing from an earlier look and can be cut as a whole.
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (this.servers) resolver.setServers(this.servers);
    const deadline = setTimeout(() => resolver.cancel(), DEADLINE_MS);
    try {
      return await ask({
        txt: (name) => answerOf(resolver.resolveTxt(name).then((records) => records.map((parts) => parts.join('')))),
        cname: (name) => answerOf(resolver.resolveCname(name)),
      });
    } finally {
      clearTimeout(deadline);
      resolver.cancel();
    }
  }
}

async function answerOf(records: Promise<string[]>): Promise<DnsAnswer> {
  try {
    const found = await records;
    return found.length > 0 ? { kind: 'found', records: found } : { kind: 'none' };
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (NOTHING_THERE.has(code)) return { kind: 'none' };
    return { kind: 'unanswered', reason: wordsOfCode[code] ?? 'the answer could not be read' };
  }
}
