import { findPgBouncer, PgBouncer } from '../../support/pgbouncer.js';
import { waitSeconds } from '../actions.js';
import type { Testbed } from '../testbed/testbed.js';
import type { Scenario } from '../scenario.js';

const SECONDS_AWAY = 3;

/** Every process reaches Postgres through a PgBouncer, which is killed under load and restarted. */
export function behindPgBouncer(mode: 'session' | 'transaction', id: string): Scenario {
  return {
    id,
    fault: `all processes behind a PgBouncer in ${mode} mode, which is killed under load and back after ${SECONDS_AWAY} s`,
    withinMs: 90_000,
    missingRequirement: () => (findPgBouncer() === undefined ? 'pgbouncer is missing' : undefined),
    async inject({ testbed, startTraffic, clients, expect }) {
      const bouncer = await PgBouncer.before(testbed.postgres.url, mode, 60);
      try {
        await restartAll(testbed, { DATABASE_URL: bouncer.url, DATABASE_POOLING: mode });
        const load = startTraffic();
        await waitSeconds(4);
        await bouncer.kill();
        await waitSeconds(SECONDS_AWAY);
        await bouncer.start();
        await waitSeconds(4);
        await load.stop();
        expect('every hit got a response', clients.history.hitsWithoutResponse === 0);
      } finally {
        await restartAll(testbed, {});
        await bouncer.stop();
      }
    },
  };
}

async function restartAll(testbed: Testbed, environment: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all(
    testbed.all.map(async (service) => {
      await service.terminate();
      await service.start(environment);
    }),
  );
}
