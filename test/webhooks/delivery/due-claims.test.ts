import type { Sql } from '../../../src/platform/database/database.js';
import { DueDeliveries } from '../../../src/webhooks/delivery/claim-deliveries.js';
import { HOUR, WebhookBench } from '../webhook-bench.js';

const slots = { healthy: 10, unhealthy: 10, perEndpoint: 10, running: new Map(), slow: [] };
const ENDPOINTS = 300;
const DUE = 20_000;

let bench: WebhookBench;
beforeAll(async () => {
  bench = await WebhookBench.start({ environment: { ROLES: 'api' } });
});
afterAll(() => bench?.stop());

/** Blocks of webhook_deliveries and its indexes that `work` read in one transaction, as Postgres counts them. */
async function blocksRead(sql: Sql, work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    const [row] = await sql.query<{ blocks: number }>(
      `select sum(pg_stat_get_xact_blocks_fetched(c.oid))::float8 as blocks from pg_class c
        where c.oid = 'webhook_deliveries'::regclass
           or c.oid in (select indexrelid from pg_index where indrelid = 'webhook_deliveries'::regclass)`,
    );
    return row!.blocks;
  };
  const before = await read();
  await work();
  return (await read()) - before;
}

describe('a claim of due deliveries', () => {
  it('reads what it takes and not the whole backlog once per endpoint, even with old statistics', async () => {
    const { database } = bench.service;
    await database.query('alter table webhook_deliveries set (autovacuum_enabled = off)');
    for (let made = 0; made < ENDPOINTS; made++) await bench.write(await bench.endpoint('http://127.0.0.1:9/'), 1);
    await database.query(`update webhook_deliveries set next_attempt_at = now() + $1 * interval '1 ms'`, [HOUR]);
    await database.query('analyze webhook_deliveries');
    const healthy = await bench.endpoint('http://127.0.0.1:9/');
    for (let part = 0; part < 4; part++) await bench.write(healthy, DUE / 4);
    await database.query(
      `update webhook_deliveries set next_attempt_at = now() - interval '1 s' where endpoint_id = $1`,
      [healthy],
    );
    await database.transaction(async (sql) => {
      const due = new DueDeliveries(sql as never);
      const blocks = await blocksRead(sql, async () => expect(await due.claimDue(slots)).toHaveLength(10));
      expect(blocks).toBeLessThan(20 * ENDPOINTS);
    });
  });
});
