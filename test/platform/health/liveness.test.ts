import { Liveness } from '../../../src/platform/health/liveness.js';
import { connectForCommands } from '../../../src/platform/redis/connect.js';
import { MonitoredWorker } from '../../../src/roles/worker/bullmq-overrides/monitored-worker.js';
import { blockingConnectionOptions } from '../../../src/platform/redis/connect.js';
import { WriteProbe } from '../../../src/platform/redis/write-probe.js';
import { eventually } from '../../support/eventually.js';
import { PrivateRedis } from '../../support/private-redis.js';
import { TestService } from '../../support/service.js';
import { connectToTestRedis } from '../../support/connect-to-test-redis.js';
import { createTestRedis } from '../../support/services.js';

const clock = { time: 1_000_000, now: () => clock.time };

describe('liveness', () => {
  it('ends when a loop makes no progress for 30 seconds, and names it', async () => {
    const redis = await connectToTestRedis();
    try {
      const liveness = new Liveness(new WriteProbe(redis), clock);
      let turnedAt: number | undefined = clock.time;
      liveness.watch('flusher', () => turnedAt);
      liveness.watch('jobs', () => clock.time);
      expect(await liveness.report()).toEqual({ status: 'live' });
      clock.time += 31_000;
      // Redis might have come back just now: the first check only starts the count.
      expect(await liveness.report()).toEqual({ status: 'live' });
      clock.time += 29_000;
      expect(await liveness.report()).toEqual({ status: 'live' });
      clock.time += 2_000;
      expect(await liveness.report()).toEqual({ status: 'stalled', stalled: ['flusher'] });
      turnedAt = undefined;
      expect(await liveness.report()).toEqual({ status: 'live' });
      turnedAt = 0;
      await liveness.report();
      clock.time += 31_000;
      expect(await liveness.report()).toMatchObject({ status: 'stalled' });
      liveness.stop();
      expect(await liveness.report()).toEqual({ status: 'live' });
    } finally {
      redis.disconnect();
    }
  });

  it('does not end while Redis is down, nor as soon as it is up again', async () => {
    const server = await PrivateRedis.start();
    const redis = connectForCommands(server.url);
    redis.on('error', () => undefined);
    try {
      await eventually(() => redis.status === 'ready');
      const liveness = new Liveness(new WriteProbe(redis), clock);
      const turnedAt = clock.time;
      liveness.watch('flusher', () => turnedAt);
      await server.kill();
      for (let n = 0; n < 5; n++) {
        clock.time += 60_000;
        expect(await liveness.report()).toEqual({ status: 'live' });
      }
      await server.start();
      await eventually(() => redis.status === 'ready');
      expect(await liveness.report()).toEqual({ status: 'live' });
      clock.time += 31_000;
      expect(await liveness.report()).toEqual({ status: 'stalled', stalled: ['flusher'] });
    } finally {
      redis.disconnect();
      await server.remove();
    }
  });
});

describe('a Redis that responds to PING and refuses writes', () => {
  it('keeps processes live, and is named by readiness where no traffic is routed', async () => {
    const server = await PrivateRedis.start();
    const service = await TestService.start({ environment: { REDIS_URL: server.url, ROLES: 'flusher' } });
    const health = async (path: string) => {
      const response = await fetch(`${service.address}/health/${path}`);
      return { status: response.status, body: (await response.json()) as object };
    };
    try {
      await eventually(async () => (await health('ready')).status === 200);
      await server.command('CONFIG', 'SET', 'maxmemory', '1');
      const full = await eventually(async () => {
        const report = await health('ready');
        return report.status === 503 && report;
      });
      expect(full.body).toMatchObject({ roles: { flusher: { redis: 'redis is full', postgres: 'ok' } } });
      expect((await health('live')).status).toBe(200);
      await server.command('CONFIG', 'SET', 'maxmemory', '0');
      await eventually(async () => (await health('ready')).status === 200);
      await server.command('REPLICAOF', '127.0.0.1', '1');
      const demoted = await eventually(async () => {
        const report = await health('ready');
        return report.status === 503 && report;
      });
      expect(demoted.body).toMatchObject({ roles: { flusher: { postgres: 'ok' } } });
    } finally {
      await service.stop();
      await server.remove();
    }
  });
});

describe('a Redis that hangs', () => {
  it('is reported within a second, and takes neither the API nor the tracking edge out of service', async () => {
    const server = await PrivateRedis.start();
    const service = await TestService.start({ environment: { REDIS_URL: server.url, ROLES: 'api,tracking' } });
    const ready = async () => {
      const response = await fetch(`${service.address}/health/ready`, { signal: AbortSignal.timeout(2_000) });
      return { status: response.status, ...((await response.json()) as { roles: { api: { redis: string } } }) };
    };
    try {
      await eventually(async () => (await ready()).roles.api.redis === 'ok');
      server.freeze();
      const hung = await eventually(async () => {
        const report = await ready();
        return report.roles.api.redis !== 'ok' && report;
      });
      expect(hung).toMatchObject({
        status: 200,
        roles: { api: { redis: 'redis does not respond', postgres: 'ok' }, tracking: { 'redis or spool': 'ok' } },
      });
    } finally {
      server.thaw();
      await service.stop();
      await server.remove();
    }
  });
});

describe('a consumer of jobs', () => {
  it('reports that it fetches jobs while there are none, and no longer once it stops fetching', async () => {
    const { url } = await createTestRedis();
    const consumer = new MonitoredWorker('watched', () => Promise.resolve(), {
      connection: blockingConnectionOptions(url),
      drainDelay: 1,
    });
    try {
      const first = consumer.lastProgressAt!;
      await eventually(() => consumer.lastProgressAt! > first + 500);
      await consumer.pause();
      const last = consumer.lastProgressAt;
      await eventually(() => Date.now() > last! + 3_000);
      expect(consumer.lastProgressAt).toBe(last);
    } finally {
      await consumer.close();
    }
  });
});
