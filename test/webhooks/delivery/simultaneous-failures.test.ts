import { WebhookSettlement, type Settled } from '../../../src/webhooks/delivery/webhook-settlement.js';
import type { Database } from '../../../src/platform/database/database.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { lockedOut, whileLocked } from '../../support/held-lock.js';
import { WebhookBench } from '../webhook-bench.js';
import { claimedDeliveries } from './claimed-deliveries.js';

const attempt = { startedAt: new Date(), durationMs: 5, status: 500, error: 'No', answer: '' };

let bench: WebhookBench;
let database: Database;
let settlement: WebhookSettlement;

/** Without a worker, only the tests attempt deliveries. */
beforeAll(async () => {
  bench = await WebhookBench.start({ environment: { ROLES: 'api' } });
  database = await openDatabase(bench.service.settings.DATABASE_URL, 5);
  settlement = new WebhookSettlement(database);
});
afterAll(async () => {
  await database?.pool.end();
  await bench?.stop();
});
afterEach(() => bench.removeWebhooks());

const deadlocks = async (): Promise<number> => {
  const [row] = await database.query<{ n: number }>(
    `select deadlocks::int as n from pg_stat_database where datname = current_database()`,
  );
  return row!.n;
};

/** Records two failures that wait for a change of their endpoint, while an email writes a delivery for it. */
async function failTwice(gone: boolean): Promise<(Settled | undefined)[]> {
  const { id, claimed } = await claimedDeliveries(bench, 2);
  const settled: Promise<Settled | undefined>[] = [];
  await database.transaction(async (writer) => {
    await writer.query('select from webhook_endpoints where id = $1 for key share', [id]);
    await whileLocked(
      database,
      (sql) => sql.query('update webhook_endpoints set failures = failures where id = $1', [id]),
      async () => {
        for (const one of claimed) {
          settled.push(settlement.failed(one, attempt, { retryInMs: gone ? undefined : 60_000, pauseMs: 0, gone }));
          await lockedOut(database, settled.length);
        }
      },
    );
    await Promise.all(settled);
  });
  return Promise.all(settled);
}

describe('two failures of an endpoint at once', () => {
  it('do not end in a deadlock', async () => {
    const before = await deadlocks();
    expect(await failTwice(false)).toEqual(Array(2).fill({ attempt: 1, disabled: null }));
    expect(await deadlocks()).toBe(before);
  });

  it('disable it once if it is gone', async () => {
    const settled = await failTwice(true);
    expect(settled.map((one) => one?.disabled ?? null).sort()).toEqual(['gone', null]);
  });
});
