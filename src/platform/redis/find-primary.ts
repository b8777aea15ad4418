import { Redis } from 'ioredis';
import { isIP } from 'node:net';
import { agreeOnAddress } from './agreement.js';
import { connectorTo, type ConnectionSettings, type FindPrimary } from './primary-connector.js';
import { readAddress, writeAddress, type RedisServers, type ServerAddress } from './redis-servers.js';

/** Longest wait for one Sentinel or node. */
const ASK_TIMEOUT_MS = 1_000;
/** The slot of `{mailbeacon}`, under which all keys are: CRC16 of the tag, modulo 16,384. */
export const KEY_SLOT = 12_312;
/** Nodes of a large cluster that are asked beside those of the settings. */
const MOST_LEARNT = 5;

/** How a witness is asked: by whom, and over TLS or not. */
type Access = Pick<ConnectionSettings, 'username' | 'password' | 'tls'>;

/** Sentinels share TLS with the servers they watch, and have a password of their own. */
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
      askServer(witness, { ...account, ...(tls && { tls }) }, async (redis) => {
        const named = await redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', REDIS_SENTINEL_MASTER ?? 'mymaster');
        if (!Array.isArray(named)) throw new Error('The Sentinels do not know REDIS_SENTINEL_MASTER');
        return { host: String(named[0]), port: Number(named[1]) };
      }),
    ),
  );
}

/**
 * The node that has the slot of our keys: all of them share one, so that one connection is all that is needed and
 * every command works as it does without a cluster.
 */
export function findInCluster(nodes: readonly string[]): FindPrimary {
  const seeds = nodes.map(readAddress);
  let learnt: readonly ServerAddress[] = [];
  return once(({ username, password, tls }) => {
    const access = { ...(username && { username }), ...(password && { password }), ...(tls && { tls }) };
    const witnesses = new Map([...seeds, ...learnt].map((node) => [writeAddress(node), node]));
    return agreeOnAddress([...witnesses.values()], (witness) =>
      askServer(witness, access, async (redis) => {
        const ranges = (await redis.call('CLUSTER', 'SLOTS')) as SlotRange[];
        learnt = ranges.map(([, , primary]) => addressOf(primary, witness)).slice(0, MOST_LEARNT);
        const ours = ranges.find(([from, to]) => from <= KEY_SLOT && KEY_SLOT <= to);
        return ours && addressOf(ours[2], witness);
      }),
    );
  });
}

type SlotRange = [from: number, to: number, primary: [endpoint: string | null, port: number], ...replicas: unknown[]];

/** A node without an endpoint of its own is where the one that was asked is. */
function addressOf([endpoint, port]: SlotRange[2], asked: ServerAddress): ServerAddress {
  const host = endpoint === null || endpoint === '' ? asked.host : endpoint;
  // Certificates are for names; a cluster that tells IP addresses has one for the name that it is reached by.
  const certificateName = isIP(host) ? (asked.certificateName ?? asked.host) : host;
  return { host, port, certificateName };
}

async function askServer<Answer>(
  { host, port }: ServerAddress,
  access: Access,
  ask: (redis: Redis) => Promise<Answer>,
): Promise<Answer> {
  const { tls, ...account } = access;
  const redis = new Redis({
    host,
    port,
    ...account,
    ...(tls && { tls: tls === true ? {} : tls }),
    Connector: connectorTo(),
    connectTimeout: ASK_TIMEOUT_MS,
    commandTimeout: ASK_TIMEOUT_MS,
    retryStrategy: () => null,
    enableReadyCheck: false,
    disableClientInfo: true,
  });
  redis.on('error', () => undefined);
  try {
    return await ask(redis);
  } finally {
    redis.disconnect();
  }
}

/** Connections that look for the primary at the same time share the answer. */
function once(find: FindPrimary): FindPrimary {
  let underWay: Promise<ServerAddress> | undefined;
  return (settings) => (underWay ??= find(settings).finally(() => (underWay = undefined)));
}
