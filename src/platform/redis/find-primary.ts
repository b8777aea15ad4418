import { Redis } from 'ioredis';
import { isIP } from 'node:net';
import { agreeOnAddress } from './agreement.js';
import { connectorTo, type ConnectionSettings, type FindPrimary } from './ioredis-overrides/primary-connector.js';
import { readAddress, writeAddress, type RedisServers, type ServerAddress } from './redis-servers.js';

/** Timeout of one Sentinel or node. */
const QUERY_TIMEOUT_MS = 1_000;
/** The slot of the hash tag `{mailbeacon}`, which all keys share: CRC16 of the tag, modulo 16,384. */
export const KEY_SLOT = 12_312;
/** Maximum number of discovered cluster nodes to query in addition to the configured ones. */
const MAX_DISCOVERED = 5;

/** Credentials and TLS options for querying a witness. */
type Access = Pick<ConnectionSettings, 'username' | 'password' | 'tls'>;

/** Sentinels use the same TLS options as the Redis servers but have their own password. */
export function findBySentinels(
  sentinels: readonly string[],
  { REDIS_SENTINEL_MASTER, REDIS_SENTINEL_USERNAME, REDIS_SENTINEL_PASSWORD }: RedisServers,
): FindPrimary {
  const witnesses = sentinels.map(readAddress);
  const account = {
    ...(REDIS_SENTINEL_USERNAME !== undefined && { username: REDIS_SENTINEL_USERNAME }),
    ...(REDIS_SENTINEL_PASSWORD !== undefined && { password: REDIS_SENTINEL_PASSWORD }),
  };
  return once(({ tls }) =>
    agreeOnAddress(witnesses, (witness) =>
      queryServer(witness, { ...account, ...(tls && { tls }) }, async (redis) => {
        const named = await redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', REDIS_SENTINEL_MASTER ?? 'mymaster');
        if (!Array.isArray(named)) throw new Error('The Sentinels do not know REDIS_SENTINEL_MASTER');
        return { host: String(named[0]), port: Number(named[1]) };
      }),
    ),
  );
}

/**
 * Finds the node that owns the slot of our keys. All keys share one slot, so one connection is enough and every command
 * works as it does without a cluster.
 */
export function findInCluster(nodes: readonly string[]): FindPrimary {
  const seeds = nodes.map(readAddress);
  let discovered: readonly ServerAddress[] = [];
  return once(({ username, password, tls }) => {
    const access = { ...(username && { username }), ...(password && { password }), ...(tls && { tls }) };
    const witnesses = new Map([...seeds, ...discovered].map((node) => [writeAddress(node), node]));
    return agreeOnAddress([...witnesses.values()], (witness) =>
      queryServer(witness, access, async (redis) => {
        const ranges = (await redis.call('CLUSTER', 'SLOTS')) as SlotRange[];
        discovered = ranges.map(([, , primary]) => addressOf(primary, witness)).slice(0, MAX_DISCOVERED);
        const ours = ranges.find(([from, to]) => from <= KEY_SLOT && KEY_SLOT <= to);
        return ours && addressOf(ours[2], witness);
      }),
    );
  });
}

type SlotRange = [from: number, to: number, primary: [endpoint: string | null, port: number], ...replicas: unknown[]];

/** A node without an endpoint has the same host as the queried node. */
function addressOf([endpoint, port]: SlotRange[2], queried: ServerAddress): ServerAddress {
  const host = endpoint === null || endpoint === '' ? queried.host : endpoint;
  // Certificates name hosts. If the cluster reports IP addresses, its certificate has the name that we connected to.
  const certificateName = isIP(host) ? (queried.certificateName ?? queried.host) : host;
  return { host, port, certificateName };
}

async function queryServer<Result>(
  { host, port }: ServerAddress,
  access: Access,
  query: (redis: Redis) => Promise<Result>,
): Promise<Result> {
  const { tls, ...account } = access;
  const redis = new Redis({
    host,
    port,
    ...account,
    ...(tls && { tls: tls === true ? {} : tls }),
    Connector: connectorTo(),
    connectTimeout: QUERY_TIMEOUT_MS,
    commandTimeout: QUERY_TIMEOUT_MS,
    retryStrategy: () => null,
    enableReadyCheck: false,
    disableClientInfo: true,
  });
  redis.on('error', () => undefined);
  try {
    return await query(redis);
  } finally {
    redis.disconnect();
  }
}

/** Connections that search for the primary at the same time share the result. */
function once(find: FindPrimary): FindPrimary {
  let underWay: Promise<ServerAddress> | undefined;
  return (settings) => (underWay ??= find(settings).finally(() => (underWay = undefined)));
}
