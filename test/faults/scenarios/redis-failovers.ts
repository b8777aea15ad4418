import { eventually } from '../../support/eventually.js';
import { PrivateRedis } from '../../support/private-redis.js';
import { startCluster, startSentinelSet, type RedisSet } from '../../support/redis-sets.js';
import { countUnsettled } from '../collect-observations.js';
import { waitSeconds } from '../actions.js';
import type { Testbed } from '../testbed/testbed.js';
import type { ServiceProcess } from '../testbed/service-process.js';
import type { Scenario, ScenarioContext } from '../scenario.js';

const SETTLED_WITHIN_MS = 120_000;

export const redisDemoted: Scenario = {
  id: 'F35',
  fault: 'Redis fails over to its replica and back; connections to the old primary stay open and read-only',
  withinMs: 60_000,
  async inject({ testbed, startTraffic, clients, expect, note }) {
    const replica = await PrivateRedis.start();
    try {
      await follow(replica, testbed.redis);
      const load = startTraffic({ sendsPerSecond: 10, hitsPerSecond: 30 });
      await waitSeconds(2);
      await switchTo(testbed, testbed.redis, replica);
      await waitForDeliveries(testbed, note, 'the failover');
      await waitSeconds(10);
      await switchTo(testbed, replica, testbed.redis);
      await waitForDeliveries(testbed, note, 'the failover back');
      await waitSeconds(3);
      await load.stop();
      expect('every hit got a response', clients.history.hitsWithoutResponse === 0);
      expect('every send got a 2xx at the first attempt', clients.history.repeatedSends.length === 0);
    } finally {
      // Clients with connections to the replica must not take it for a hung Redis.
      await replica.remove();
    }
  },
};

/**
 * The old primary becomes a replica as in a planned failover, and only new connections reach the new one. Writes wait
 * meanwhile, as with FAILOVER: the old primary would acknowledge what the new one never receives.
 */
async function switchTo(testbed: Testbed, from: PrivateRedis, to: PrivateRedis): Promise<void> {
  await isInSync(to);
  await from.command('CLIENT', 'PAUSE', '30000', 'WRITE');
  await eventually(async () => (await offset(from)) === (await offset(to)));
  await to.command('REPLICAOF', 'NO', 'ONE');
  for (const { proxies } of testbed.all) proxies.redis.leadTo(new URL(to.url));
  await from.command('REPLICAOF', '127.0.0.1', new URL(to.url).port);
  await from.command('CLIENT', 'UNPAUSE');
  await isInSync(from);
}

/** How many bytes of changes it has, its own or those of its primary. */
async function offset(redis: PrivateRedis): Promise<string | undefined> {
  return /master_repl_offset:(\d+)/.exec(String(await redis.command('INFO', 'replication')))?.[1];
}

async function follow(replica: PrivateRedis, primary: PrivateRedis): Promise<void> {
  await replica.command('REPLICAOF', '127.0.0.1', new URL(primary.url).port);
  await isInSync(replica);
}

function isInSync(replica: PrivateRedis): Promise<true> {
  return eventually(
    async () => String(await replica.command('INFO', 'replication')).includes('master_link_status:up'),
    30_000,
  );
}

async function waitForDeliveries({ sendGrid }: Testbed, note: ScenarioContext['note'], what: string): Promise<void> {
  const startedAt = Date.now();
  const resumedAt = await eventually(() => sendGrid.messages.find(({ at }) => at > startedAt + 100)?.at, 60_000);
  note(`deliveries continued ${((resumedAt - startedAt) / 1_000).toFixed(1)} s after ${what}`);
}

export const readinessFollowed: Scenario = {
  id: 'F36',
  fault: 'Redis is down for 20 s behind a load balancer that checks /health/ready',
  withinMs: 60_000,
  async inject({ testbed, startTraffic, clients, expect, note }) {
    const monitor = new ReadinessMonitor([...testbed.apis, ...testbed.edges]);
    const load = startTraffic({ sendsPerSecond: 5, hitsPerSecond: 20 });
    await waitSeconds(2);
    await testbed.redis.kill();
    await waitSeconds(20);
    await testbed.redis.start();
    await load.stop();
    const { checks, unready } = await monitor.stop();
    note(`${checks} readiness checks, ${unready} of them not ready`);
    expect('no API and no edge was taken out of service', unready === 0 && checks > 0);
    expect('every hit got a response', clients.history.hitsWithoutResponse === 0);
    expect('every send got a 2xx at the first attempt', clients.history.repeatedSends.length === 0);
  },
};

/** Counts how often a load balancer would have found a process not ready. */
class ReadinessMonitor {
  private checks = 0;
  private unready = 0;
  private isChecking = true;
  private readonly loop: Promise<void>;

  constructor(services: readonly ServiceProcess[]) {
    this.loop = this.run(services);
  }

  async stop(): Promise<{ checks: number; unready: number }> {
    this.isChecking = false;
    await this.loop;
    return { checks: this.checks, unready: this.unready };
  }

  private async run(services: readonly ServiceProcess[]): Promise<void> {
    while (this.isChecking) {
      const states = await Promise.all(
        services.map(({ address }) =>
          fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(3_000) }).then(
            ({ ok }) => ok,
            () => false,
          ),
        ),
      );
      this.checks += states.length;
      this.unready += states.filter((isReady) => !isReady).length;
      await waitSeconds(0.5);
    }
  }
}

export const sentinelFailover = failoverOf('F37', 'a primary watched by three Sentinels', startSentinelSet);
export const clusterFailover = failoverOf('F38', 'the node of a Redis Cluster that has our keys', startCluster);

function failoverOf(id: string, what: string, startSet: () => Promise<RedisSet>): Scenario {
  return {
    id,
    fault: `${what} is killed -9, comes back and takes over again, while connections stay open`,
    withinMs: 60_000,
    async inject(context) {
      const { testbed, clients, expect } = context;
      const set = await startSet();
      try {
        await restartAll(testbed, set.environment);
        await failOver(set, context);
        const settled = await eventually(() => isSettled(testbed, clients.history), SETTLED_WITHIN_MS).catch(
          () => false,
        );
        expect('everything is delivered and counted before the Redis set is removed', settled);
        expect('every hit got a response', clients.history.hitsWithoutResponse === 0);
        expect('every send got a 2xx at the first attempt', clients.history.repeatedSends.length === 0);
      } finally {
        await restartAll(testbed, {});
        await set.remove();
      }
    },
  };
}

async function failOver(set: RedisSet, { testbed, startTraffic, note }: ScenarioContext): Promise<void> {
  const load = startTraffic({ sendsPerSecond: 10, hitsPerSecond: 30 });
  await waitSeconds(3);
  const dead = await set.primary();
  await dead.kill();
  await waitForDeliveries(testbed, note, 'the kill');
  await waitSeconds(5);
  await dead.start();
  await isInSync(dead);
  await set.switchOver();
  await waitForDeliveries(testbed, note, 'the planned failover');
  await waitSeconds(3);
  await load.stop();
}

async function isSettled(testbed: Testbed, history: ScenarioContext['clients']['history']): Promise<boolean> {
  const { emails, events, webhooks } = await countUnsettled(testbed, history);
  return emails + events + webhooks === 0;
}

/** Restarts every process with other settings. */
async function restartAll(testbed: Testbed, environment: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all(testbed.all.map((service) => service.terminate()));
  await Promise.all(testbed.all.map((service) => service.start(environment)));
}
