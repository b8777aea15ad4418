import dns, { type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/**
 * The operating system's look-up holds one of libuv's four threads for as long as a dead name server likes. Files and
 * the name of Postgres need those threads too, so look-ups for Redis take at most this many.
 */
const LOOKUPS_AT_ONCE = 2;

export type SystemLookup = (
  hostname: string,
  options: { all: true; family?: number | undefined },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Look-ups that connections share. Each reconnects every half second while Redis is away, and gives up on a connection
 * before a slow look-up ends: whoever asks for a name that is being looked up gets the answer to that.
 */
export class SharedLookups {
  private readonly underWay = new Map<string, Promise<LookupAddress[]>>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly lookUp: SystemLookup = (...question) => dns.lookup(...question)) {}

  /** As node:net wants it. */
  readonly lookup: LookupFunction = (hostname, { family, all }, callback) => {
    const version = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
    this.addressesOf(hostname, version).then(
      (addresses) => (all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family)),
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };

  private addressesOf(hostname: string, family: number | undefined): Promise<LookupAddress[]> {
    const question = `${family ?? 0} ${hostname}`;
    const known = this.underWay.get(question);
    if (known) return known;
    const answer = this.ask(hostname, family).finally(() => this.underWay.delete(question));
    this.underWay.set(question, answer);
    return answer;
  }

  private async ask(hostname: string, family: number | undefined): Promise<LookupAddress[]> {
    if (this.running >= LOOKUPS_AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await new Promise((resolve, reject) =>
        this.lookUp(hostname, { all: true, family }, (error, addresses) => {
          if (error) reject(error);
          else resolve(addresses);
        }),
      );
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}

/** One for all connections of the process. */
export const sharedLookups = new SharedLookups();
