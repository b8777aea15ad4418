import dns, { type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/**
 * With a dead name server, a lookup of the operating system blocks one of libuv's four threads until it times out. File
 * access and the lookup of Postgres need those threads too, so Redis lookups use at most this many.
 */
const LOOKUPS_AT_ONCE = 2;

export type SystemLookup = (
  hostname: string,
  options: { all: true; family?: number | undefined },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Lookups shared by all connections. While Redis is down, each connection retries every half second and times out
 * before a slow lookup ends. Callers therefore join a pending lookup of the same name.
 */
export class SharedLookups {
  private readonly underWay = new Map<string, Promise<LookupAddress[]>>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly lookUp: SystemLookup = (...query) => dns.lookup(...query)) {}

  /** In the signature of node:net. */
  readonly lookup: LookupFunction = (hostname, { family, all }, callback) => {
    const version = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
    this.addressesOf(hostname, version).then(
      (addresses) => (all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family)),
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };

  private addressesOf(hostname: string, family: number | undefined): Promise<LookupAddress[]> {
    const query = `${family ?? 0} ${hostname}`;
    const pending = this.underWay.get(query);
    if (pending) return pending;
    const result = this.query(hostname, family).finally(() => this.underWay.delete(query));
    this.underWay.set(query, result);
    return result;
  }

  private async query(hostname: string, family: number | undefined): Promise<LookupAddress[]> {
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

/** One instance for all connections of the process. */
export const sharedLookups = new SharedLookups();
