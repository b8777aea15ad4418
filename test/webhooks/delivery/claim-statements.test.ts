import { DueDeliveries } from '../../../src/webhooks/delivery/claim-deliveries.js';
import { WebhookSettlement } from '../../../src/webhooks/delivery/webhook-settlement.js';
import { lockedOut, whileLocked } from '../../support/held-lock.js';
import { HOUR, MINUTE, WebhookBench } from '../webhook-bench.js';
import { claimedDeliveries, freeSlots } from './claimed-deliveries.js';

let bench: WebhookBench;
let due: DueDeliveries;
let settlement: WebhookSettlement;

/** Without a worker, only the tests attempt deliveries. */
beforeAll(async () => {
  bench = await WebhookBench.start({ environment: { ROLES: 'api' } });
  due = new DueDeliveries(bench.service.database);
  settlement = new WebhookSettlement(bench.service.database);
});
afterAll(() => bench?.stop());
afterEach(() => bench.removeWebhooks());

async function endpoint(id: string): Promise<{ pausedForMs: number | null }> {
  const [row] = await bench.service.database.query<{ pausedForMs: number | null }>(
    `select (extract(epoch from paused_until - now()) * 1000)::float8 as "pausedForMs"
       from webhook_endpoints where id = $1`,
    [id],
  );
  return row!;
}

describe('a test event that cannot be attempted', () => {
  it('waits without pausing the endpoint', async () => {
    const { id, claimed } = await claimedDeliveries(bench, 1);
    await bench.service.database.query(`update webhook_deliveries set type = 'WEBHOOK_TEST' where endpoint_id = $1`, [
      id,
    ]);
    await settlement.postpone(claimed[0]!, HOUR);
    expect(await endpoint(id)).toMatchObject({ pausedForMs: null });
    expect(await due.claimDue(freeSlots)).toEqual([]);
    const [delivery] = await bench.deliveries(id);
    expect(Date.parse(delivery!.nextAttemptAt!) - Date.now()).toBeGreaterThan(59 * MINUTE);
  });
});

describe('a claim', () => {
  it('takes deliveries of endpoints without a request in progress before those of one that has not responded', async () => {
    const silent = await claimedDeliveries(bench, 1);
    const others = [await bench.webhook('http://127.0.0.1:9/a'), await bench.webhook('http://127.0.0.1:9/b')];
    const { database } = bench.service;
    const older = await bench.write(silent.id, 2);
    await database.query(
      `update webhook_deliveries set created_at = created_at - interval '1 hour',
      next_attempt_at = next_attempt_at - interval '1 hour' where id = any($1)`,
      [older],
    );
    const waiting = [...(await bench.write(others[0]!.id, 1)), ...(await bench.write(others[1]!.id, 1))];
    const running = new Map([[silent.id, 1]]);
    const claimed = await due.claimDue({ ...freeSlots, healthy: 2, running });
    expect(claimed.map(({ id }) => id).sort()).toEqual(waiting.sort());
    expect(await due.claimDue({ ...freeSlots, healthy: 2, running })).toHaveLength(2);
  });

  it('takes one delivery to probe a failed endpoint, its test events too, and then only test events', async () => {
    const { id } = await bench.webhook('http://127.0.0.1:9/');
    const { database } = bench.service;
    await database.query('update webhook_endpoints set failures = 9, failing_since = now() where id = $1', [id]);
    const write = async (count: number) => {
      const tests = await bench.write(id, count);
      await database.query(`update webhook_deliveries set type = 'WEBHOOK_TEST' where id = any($1)`, [tests]);
      return tests;
    };
    await bench.write(id, 5);
    const tests = await write(2);
    const first = await due.claimDue(freeSlots);
    expect(
      first
        .filter(({ isTest }) => isTest)
        .map((one) => one.id)
        .sort(),
    ).toEqual(tests.sort());
    expect(first.filter(({ isTest }) => !isTest)).toHaveLength(1);
    const [later] = await write(1);
    expect((await due.claimDue(freeSlots)).map((one) => one.id)).toEqual([later]);
    await database.query('update webhook_endpoints set paused_until = null where id = $1', [id]);
    await due.claimWoken(await write(1), freeSlots);
    // A test event is not a probe: it pauses nothing.
    expect(await endpoint(id)).toMatchObject({ pausedForMs: null });
  });

  it('leaves out a delivery that another worker has claimed since it was chosen', async () => {
    const { database } = bench.service;
    const { id } = await bench.webhook('http://127.0.0.1:9/');
    const written = await bench.write(id, 2);
    // The claim of the first worker waits as soon as it has the first of the two deliveries.
    await database.query(
      `create function wait_if_first() returns trigger language plpgsql as $$
       begin
         if current_setting('test.is_first', true) = 'yes' then perform pg_advisory_xact_lock(1); end if;
         return new;
       end $$`,
    );
    await database.query(
      'create trigger wait_if_first before update on webhook_deliveries for each row execute function wait_if_first()',
    );
    const claimAsFirst = () =>
      database.transaction(async (sql) => {
        // A nested loop chooses and claims one delivery after the other.
        await sql.query(`set local enable_hashjoin = off; set local enable_mergejoin = off; set local enable_sort = off;
          set local test.is_first = 'yes'`);
        return new DueDeliveries(sql as never).claimWoken(written, freeSlots);
      });
    let first: Promise<readonly { readonly id: string }[]> | undefined;
    let second: readonly { readonly id: string }[] = [];
    await whileLocked(
      database,
      (sql) => sql.query('select pg_advisory_xact_lock(1)'),
      async () => {
        first = claimAsFirst();
        await lockedOut(database, 1);
        second = await due.claimWoken(written, freeSlots);
      },
    );
    await database.query('drop trigger wait_if_first on webhook_deliveries');
    expect(second).toHaveLength(1);
    const claimed = [...(await first!), ...second].map((delivery) => delivery.id);
    expect(claimed.sort()).toEqual(written.sort());
  });
});
