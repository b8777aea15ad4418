import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../src/embedded/free-port.js';
import { findRedisBinary } from '../../src/embedded/redis-binary.js';
import { cleanUpIfKilled, PROCESSES_DIRECTORY } from './clean-up-if-killed.js';
import { endChild } from './end-child.js';
import { eventually } from './eventually.js';
import { PrivateRedis } from './private-redis.js';

/** Several servers, one of which is the primary of the product's keys. */
export interface RedisSet {
  /** The settings that connect to it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly nodes: readonly PrivateRedis[];
  /** Resolves with the server that accepts writes now, and waits until there is one. */
  primary(): Promise<PrivateRedis>;
  /** A planned failover: the primary becomes a replica, and clients may keep their connections to it. */
  switchOver(): Promise<void>;
  remove(): Promise<void>;
}

const SENTINELS = 3;
const SENTINEL_PASSWORD = 'sentinel-secret';
const MASTER = 'mailbeacon-test';
/** A server that does not respond for this time is considered down. */
const DOWN_AFTER_MS = 1_000;
const TIMEOUT_MS = 30_000;

/** A primary with two replicas, watched by three Sentinels. */
export async function startSentinelSet(): Promise<RedisSet> {
  const primary = await PrivateRedis.start();
  const replicas = await Promise.all([1, 2].map(() => PrivateRedis.start('--replicaof', '127.0.0.1', portOf(primary))));
  const nodes = [primary, ...replicas];
  await Promise.all(replicas.map(hasSynced));
  const directory = await mkdtemp(join(tmpdir(), 'mailbeacon-sentinels-'));
  await mkdir(join(directory, PROCESSES_DIRECTORY));
  const watcher = cleanUpIfKilled(directory);
  const sentinels = await Promise.all(
    Array.from({ length: SENTINELS }, (_, number) => startSentinel(directory, number, portOf(primary))),
  );
  const addresses = sentinels.map(({ port }) => `127.0.0.1:${port}`);
  await eventually(() => knowEachOther(addresses), TIMEOUT_MS);
  return {
    environment: {
      REDIS_URL: 'redis://primary.invalid',
      REDIS_SENTINELS: addresses.join(','),
      REDIS_SENTINEL_MASTER: MASTER,
      REDIS_SENTINEL_PASSWORD: SENTINEL_PASSWORD,
    },
    nodes,
    primary: () => eventually(() => find(nodes, isPrimary), TIMEOUT_MS),
    switchOver: async () => {
      const url = `redis://:${SENTINEL_PASSWORD}@${addresses[0]}`;
      const old = await find(nodes, isPrimary);
      // Sentinel refuses until it has seen that the replicas follow.
      await eventually(
        async () => (await ask(url, (redis) => redis.call('SENTINEL', 'FAILOVER', MASTER))) === 'OK',
        TIMEOUT_MS,
      );
      await eventually(async () => old !== (await find(nodes, isPrimary)), TIMEOUT_MS);
    },
    remove: async () => {
      await Promise.all(sentinels.map(({ child }) => endChild(child, 'SIGKILL')));
      await Promise.all(nodes.map((node) => node.remove()));
      watcher.dismiss();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function startSentinel(directory: string, number: number, primaryPort: string) {
  const port = await freePort();
  const home = join(directory, `sentinel-${number}`);
  await mkdir(home);
  const file = join(home, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${home}`,
    `requirepass ${SENTINEL_PASSWORD}`,
    `sentinel sentinel-pass ${SENTINEL_PASSWORD}`,
    `sentinel monitor ${MASTER} 127.0.0.1 ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${MASTER} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${MASTER} 5000`,
    `sentinel parallel-syncs ${MASTER} 2`,
  ];
  await writeFile(file, lines.join('\n'));
  const child = spawn(findRedisBinary()!, [file, '--sentinel'], { stdio: 'ignore' });
  await writeFile(join(directory, PROCESSES_DIRECTORY, `sentinel-${number}.pid`), String(child.pid));
  return { port, child };
}

/** True when every Sentinel has found the other Sentinels and both replicas: none can fail over before. */
async function knowEachOther(addresses: readonly string[]): Promise<boolean> {
  const views = await Promise.all(
    addresses.map((address) =>
      ask(`redis://:${SENTINEL_PASSWORD}@${address}`, (redis) => redis.call('SENTINEL', 'MASTER', MASTER)),
    ),
  );
  return views.every((view) => {
    const fields = (view ?? []) as string[];
    const value = (name: string) => fields[fields.indexOf(name) + 1];
    return value('num-other-sentinels') === String(SENTINELS - 1) && value('num-slaves') === '2';
  });
}

const SLOTS = 16_384;
const CLUSTER_PRIMARIES = 3;

/** A Redis Cluster of three primaries with a replica each. */
export async function startCluster(): Promise<RedisSet> {
  const nodes = await Promise.all(Array.from({ length: 2 * CLUSTER_PRIMARIES }, startClusterNode));
  const [first, ...others] = nodes;
  const primaries = nodes.slice(0, CLUSTER_PRIMARIES);
  await Promise.all(
    primaries.map(({ node }, index) => {
      const share = Math.ceil(SLOTS / CLUSTER_PRIMARIES);
      const last = Math.min(SLOTS, (index + 1) * share) - 1;
      return node.command('CLUSTER', 'ADDSLOTSRANGE', String(index * share), String(last));
    }),
  );
  for (const { node, busPort } of others)
    await first!.node.command('CLUSTER', 'MEET', '127.0.0.1', portOf(node), String(busPort));
  await eventually(() => allReport(nodes, `cluster_known_nodes:${nodes.length}`), TIMEOUT_MS);
  const ids = await Promise.all(primaries.map(({ node }) => node.command('CLUSTER', 'MYID')));
  for (const [index, { node }] of nodes.slice(CLUSTER_PRIMARIES).entries())
    await node.command('CLUSTER', 'REPLICATE', String(ids[index]));
  await eventually(() => allReport(nodes, 'cluster_state:ok'), TIMEOUT_MS);
  await Promise.all(nodes.slice(CLUSTER_PRIMARIES).map(({ node }) => hasSynced(node)));
  const servers = nodes.map(({ node }) => node);
  return {
    // Every node redirects to the others, even one without any of the product's keys.
    environment: {
      REDIS_URL: 'redis://cluster.invalid',
      REDIS_CLUSTER: servers.map((node) => `127.0.0.1:${portOf(node)}`).join(','),
    },
    nodes: servers,
    primary: () => eventually(() => find(servers, acceptsOurKeys), TIMEOUT_MS),
    switchOver: async () => {
      const old = await find(servers, acceptsOurKeys);
      const replica = await find(servers, async (url) => {
        const [role, , port] = ((await ask(url, (redis) => redis.call('ROLE'))) ?? []) as string[];
        return role === 'slave' && String(port) === portOf(old!);
      });
      if (!replica) throw new Error('No replica of the primary was found');
      await hasSynced(replica);
      await replica.command('CLUSTER', 'FAILOVER');
      await eventually(async () => old !== (await find(servers, acceptsOurKeys)), TIMEOUT_MS);
    },
    remove: async () => {
      await Promise.all(servers.map((node) => node.remove()));
    },
  };
}

async function startClusterNode() {
  const busPort = await freePort();
  const options = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort), '--cluster-node-timeout', '1500'];
  return { node: await PrivateRedis.start(...options), busPort };
}

async function allReport(nodes: readonly { readonly node: PrivateRedis }[], line: string): Promise<boolean> {
  const views = await Promise.all(nodes.map(({ node }) => node.command('CLUSTER', 'INFO')));
  return views.every((view) => String(view).includes(line));
}

async function acceptsOurKeys(url: string): Promise<boolean> {
  return (await ask(url, (redis) => redis.set('{mailbeacon}:test-probe', '1', 'PX', 1_000))) === 'OK';
}

async function isPrimary(url: string): Promise<boolean> {
  const role = await ask(url, (redis) => redis.call('ROLE'));
  return Array.isArray(role) && role[0] === 'master';
}

function hasSynced(replica: PrivateRedis): Promise<true> {
  return eventually(
    async () => String(await replica.command('INFO', 'replication')).includes('master_link_status:up'),
    TIMEOUT_MS,
  );
}

async function find(
  nodes: readonly PrivateRedis[],
  test: (url: string) => Promise<boolean>,
): Promise<PrivateRedis | undefined> {
  const responses = await Promise.all(nodes.map(({ url }) => test(url)));
  return nodes.find((_, index) => responses[index]);
}

/** Undefined when the server is down or refuses. */
async function ask<Result>(url: string, work: (redis: Redis) => Promise<Result>): Promise<Result | undefined> {
  const redis = new Redis(url, { retryStrategy: () => null, connectTimeout: 500, commandTimeout: 1_000 });
  redis.on('error', () => undefined);
  try {
    return await work(redis);
  } catch {
    return undefined;
  } finally {
    redis.disconnect();
  }
}

function portOf({ url }: PrivateRedis): string {
  return new URL(url).port;
}
