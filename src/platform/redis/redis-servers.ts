/** Location of Redis, from the settings of the same names. */
export interface RedisServers {
  /** The address; with one of the two lists below, only user, password, database and TLS. */
  readonly REDIS_URL: string;
  /** Sentinels that locate the primary, as host:port. */
  readonly REDIS_SENTINELS?: readonly string[] | undefined;
  /** Name of the primary in the Sentinel configuration. */
  readonly REDIS_SENTINEL_MASTER?: string | undefined;
  readonly REDIS_SENTINEL_USERNAME?: string | undefined;
  readonly REDIS_SENTINEL_PASSWORD?: string | undefined;
  /** Seed nodes of a Redis Cluster, as host:port. */
  readonly REDIS_CLUSTER?: readonly string[] | undefined;
}

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** The host name in its TLS certificate, if it differs from `host`. */
  readonly certificateName?: string | undefined;
}

/** @param text host:port, an IPv6 address in brackets */
export function readAddress(text: string): ServerAddress {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
}

export function writeAddress({ host, port }: ServerAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
