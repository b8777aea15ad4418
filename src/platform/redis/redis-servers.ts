/** Where Redis is, as the settings of these names say it. */
export interface RedisServers {
  /** Without the two lists, the address; beside one of them, its user, password, database and TLS alone. */
  readonly REDIS_URL: string;
  /** Sentinels, as host:port: they name the primary. */
  readonly REDIS_SENTINELS?: readonly string[] | undefined;
  /** The name under which the Sentinels know it. */
  readonly REDIS_SENTINEL_MASTER?: string | undefined;
  readonly REDIS_SENTINEL_USERNAME?: string | undefined;
  readonly REDIS_SENTINEL_PASSWORD?: string | undefined;
  /** Nodes of a Redis Cluster, as host:port: any of them knows the others. */
  readonly REDIS_CLUSTER?: readonly string[] | undefined;
}

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** The name that its TLS certificate is for, where it is not `host`. */
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
