import { insertBacklog, insertOrganization } from '../../support/backlog.js';
import { eventually } from '../../support/eventually.js';
import { start } from '../actions.js';
import type { Scenario, ScenarioContext } from '../scenario.js';

const TIMEOUT_MS = 10_000;
const MAX_DELETED_BESIDE_WORKERS = 100_000;
/** The limit for any backlog. A million jobs would take 750 MB. */
const MAX_REDIS_MB = 100;

/** @param emails the number of waiting emails of another organization */
export function behindABacklog(emails: number, id: string): Scenario {
  return {
    id,
    fault: `another organization has ${emails} emails waiting, this one sends 1`,
    withinMs: 30_000,
    async inject({ testbed, clients, expect, note }) {
      const other = await insertOrganization(testbed.database);
      try {
        const empty = await usedMemoryMb(testbed);
        for (let at = 0; at < emails; at += 50_000) {
          await insertBacklog(testbed.database, other, Math.min(50_000, emails - at));
        }
        const startedAt = performance.now();
        const { key } = await clients.send({ respondAsync: true });
        await eventually(async () => {
          const rows = await testbed.database.query(
            `select from emails e join email_contents c on c.email_id = e.id
              where e.organization_id = $1 and c.metadata ->> 'sendKey' = $2 and e.status = 'sent'`,
            [clients.history.organizationId, key],
          );
          return rows.length > 0;
        }, TIMEOUT_MS);
        const full = await usedMemoryMb(testbed);
        note(`sent after ${Math.round(performance.now() - startedAt)} ms; Redis went from ${empty} to ${full} MB`);
        expect('the memory of Redis does not grow with the backlog', full < MAX_REDIS_MB);
      } finally {
        // A deletion that takes minutes would always end in a deadlock with workers.
        const stopped = emails > MAX_DELETED_BESIDE_WORKERS ? testbed.workers : [];
        await Promise.all(stopped.map((worker) => worker.terminate()));
        // Workers hold locks on some of them, so a deletion may fail: try again.
        await eventually(async () => {
          const deletion = testbed.database.query('delete from organizations where id = $1', [other]);
          return deletion.then(
            () => true,
            () => false,
          );
        }, 600_000);
        await start(stopped);
      }
    },
  };
}

/** The memory that Redis uses for data. */
export async function usedMemoryMb(testbed: ScenarioContext['testbed']): Promise<number> {
  const info = await testbed.withRedis((redis) => redis.info('memory'));
  return Math.round(Number(/^used_memory:(\d+)/m.exec(info)?.[1]) / 1024 / 1024);
}
