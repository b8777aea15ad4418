import { REPLAY } from '../../../src/webhooks/replay-statement.js';
import { DueDeliveries } from '../../../src/webhooks/delivery/claim-deliveries.js';
import { WebhookSettlement } from '../../../src/webhooks/delivery/webhook-settlement.js';
import { pagesRead } from '../../support/pages-read.js';
import { DAY, HOUR, MINUTE, WebhookBench } from '../webhook-bench.js';
import { claimedDeliveries, freeSlots } from './claimed-deliveries.js';

const attempt = { startedAt: new Date(), durationMs: 5, status: 500, error: 'No', answer: '' };
const failure = { retryInMs: 5 * MINUTE, pauseMs: 0, gone: false };
const busy = { ...failure, pauseMs: HOUR };

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

async function endpoint(id: string): Promise<{ failures: number; pausedForMs: number | null }> {
  const [row] = await bench.service.database.query<{ failures: number; pausedForMs: number | null }>(
    `select failures, (extract(epoch from paused_until - now()) * 1000)::float8 as "pausedForMs"
       from webhook_endpoints where id = $1`,
    [id],
  );
  return row!;
}

afterEach(() => bench.removeWebhooks());

describe('the Retry-After of a receiver', () => {
  it('is kept regardless of simultaneous attempts', async () => {
    const { id, claimed } = await claimedDeliveries(bench, 8);
    const [first, ...others] = claimed;
    await settlement.failed(first!, attempt, busy);
    for (const other of others.slice(0, 6)) await settlement.failed(other, attempt, failure);
    expect((await endpoint(id)).pausedForMs).toBeGreaterThan(59 * MINUTE);
    await settlement.delivered(others[6]!, { ...attempt, status: 204, error: null });
    const { failures, pausedForMs } = await endpoint(id);
    expect(failures).toBe(0);
    expect(pausedForMs).toBeGreaterThan(59 * MINUTE);
  });

  it('is the time of the next attempt of a waiting delivery, as its log shows', async () => {
    const { id, claimed } = await claimedDeliveries(bench, 1);
    const [waiting] = await bench.write(id, 1);
    await settlement.failed(claimed[0]!, attempt, busy);
    const { nextAttemptAt } = (await bench.deliveries(id)).find((one) => one.id === waiting)!;
    expect(Date.parse(nextAttemptAt!) - Date.now()).toBeGreaterThan(59 * MINUTE);
  });

  it('ends when the organization resumes the webhook', async () => {
    const { id, claimed } = await claimedDeliveries(bench, 2);
    await settlement.failed(claimed[0]!, attempt, busy);
    await bench.client.post(`/api/webhooks/${id}/deliveries/${claimed[0]!.id}/retry`);
    await settlement.delivered(claimed[1]!, { ...attempt, status: 204, error: null });
    expect(await endpoint(id)).toEqual({ failures: 0, pausedForMs: null });
  });
});

describe('the response of an address that was replaced meanwhile', () => {
  it('does not disable the webhook, and the refused delivery goes to the new address', async () => {
    const { id, claimed } = await claimedDeliveries(bench, 2);
    await bench.patch(id, { url: 'http://127.0.0.1:9/new' });
    const gone = { retryInMs: undefined, pauseMs: 0, gone: true };
    expect(await settlement.failed(claimed[0]!, attempt, gone)).toMatchObject({ disabled: null });
    await settlement.failed(claimed[1]!, attempt, busy);
    expect(await bench.read(id)).toMatchObject({ enabled: true, failingSince: null });
    expect(await endpoint(id)).toEqual({ failures: 0, pausedForMs: null });
    expect((await bench.deliveries(id)).map(({ status }) => status)).toEqual(['pending', 'pending']);
  });

  it('clears no failure of the new address', async () => {
    const { id, claimed } = await claimedDeliveries(bench, 1);
    await bench.patch(id, { url: 'http://127.0.0.1:9/new' });
    const [fresh] = await due.claimWoken(await bench.write(id, 1), freeSlots);
    await settlement.failed(fresh!, attempt, failure);
    await settlement.delivered(claimed[0]!, { ...attempt, status: 204, error: null });
    expect(await endpoint(id)).toMatchObject({ failures: 1 });
    expect(await bench.read(id)).toMatchObject({ failingSince: expect.any(String) });
  });
});

describe('a new address', () => {
  it('starts without the failures of the old one, and without its pause', async () => {
    const { id, claimed } = await claimedDeliveries(bench, 6);
    for (const one of claimed) await settlement.failed(one, attempt, failure);
    expect(await endpoint(id)).toEqual({ failures: 6, pausedForMs: expect.any(Number) });
    await bench.patch(id, { url: 'http://127.0.0.1:9/new' });
    expect(await endpoint(id)).toEqual({ failures: 0, pausedForMs: null });
    expect(await bench.read(id)).toMatchObject({ enabled: true, failingSince: null });
  });
});

describe('a delivery in progress', () => {
  it('is not restarted by a simultaneous retry', async () => {
    const { id, claimed } = await claimedDeliveries(bench, 1);
    await bench.client.post(`/api/webhooks/${id}/deliveries/${claimed[0]!.id}/retry`);
    expect(await settlement.delivered(claimed[0]!, { ...attempt, status: 204, error: null })).toMatchObject({
      attempt: 1,
    });
    expect((await bench.deliveries(id)).map(({ status }) => status)).toEqual(['delivered']);
  });
});

describe('an endpoint that only fails', () => {
  it('is disabled five days after its first failure, regardless of later ones', async () => {
    const { id, claimed } = await claimedDeliveries(bench, 3);
    const disabled: unknown[] = [];
    for (const one of claimed) {
      disabled.push((await settlement.failed(one, attempt, failure))!.disabled);
      const threeDaysOn = `update webhook_endpoints set failing_since = failing_since - interval '3 days' where id = $1`;
      await bench.service.database.query(threeDaysOn, [id]);
    }
    expect(disabled).toEqual([null, null, 'failing']);
  });

  it('is not disabled by two failures with a month without attempts in between', async () => {
    const { id, claimed } = await claimedDeliveries(bench, 3);
    await settlement.failed(claimed[0]!, attempt, failure);
    await bench.pass(30 * DAY);
    expect(await settlement.failed(claimed[1]!, attempt, failure)).toMatchObject({ disabled: null });
    expect(Date.now() - Date.parse((await bench.read(id)).failingSince!)).toBeLessThan(HOUR);
    await bench.pass(DAY);
    await settlement.failed(claimed[2]!, attempt, failure);
    expect(Date.now() - Date.parse((await bench.read(id)).failingSince!)).toBeGreaterThan(23 * HOUR);
  });
});

describe('a claim', () => {
  it('runs no statement while no slot is free', async () => {
    await bench.service.database.transaction(async (sql) => {
      await sql.query('lock table webhook_deliveries in access exclusive mode');
      expect(await due.claimDue({ ...freeSlots, healthy: 0, unhealthy: -1 })).toEqual([]);
    });
  });
});

describe('a replay', () => {
  it('reads no delivered rows', async () => {
    const { id } = await bench.webhook('http://127.0.0.1:9/');
    const { database } = bench.service;
    const since = new Date(Date.now() - HOUR);
    for (let part = 0; part < 10; part++) await bench.write(id, 3_000);
    await database.query(`update webhook_deliveries set status = 'delivered' where endpoint_id = $1`, [id]);
    const missed = await bench.write(id, 3);
    await database.query(`update webhook_deliveries set status = 'failed' where id = any($1)`, [missed]);
    await database.query('vacuum analyze webhook_deliveries');
    const pages = await pagesRead(database, REPLAY, [id, since, 10_000, null]);
    const pending = `select from webhook_deliveries where endpoint_id = $1 and status = 'pending'`;
    expect(await database.query(pending, [id])).toHaveLength(3);
    expect(pages).toBeLessThan(200);
  });

  it.each(['0001-01-01T00:00:00Z', '9999-12-31T00:00:00Z'])('since %s is not an error', async (since) => {
    const { id, claimed } = await claimedDeliveries(bench, 1);
    await settlement.failed(claimed[0]!, attempt, failure);
    const replayed = since.startsWith('0') ? 1 : 0;
    expect((await bench.client.post(`/api/webhooks/${id}/replay`, { since })).body).toEqual({ replayed, more: false });
  });
});

describe('a flood of opens', () => {
  it('is delivered after the outcomes of emails, and each delivery has the same body at every attempt', async () => {
    const { id } = await bench.webhook('http://127.0.0.1:9/flood');
    const { body: sent } = await bench.client.post<{ id: string }>('/api/emails', {
      from: 'Ada <a@acme.example>',
      to: 'reader@example.com',
      subject: 'S “x”',
      htmlContent: '<p>x</p>',
      metadata: { b: 1, a: 'ü' },
    });
    await bench.service.database.query(
      `insert into webhook_deliveries (id, endpoint_id, type, email_id, event_id, next_attempt_at)
       select gen_random_uuid(), $1, 'EMAIL_OPENED', $2, '019a0000-0000-7000-8000-000000000001', now() - interval '1 hour'
         from generate_series(1, 50)`,
      [id, sent.id],
    );
    const [late] = await bench.write(id, 1);
    const claimed = await due.claimDue({ ...freeSlots, perEndpoint: 3 });
    expect(claimed.map((one) => one.id)).toContain(late);
    expect(claimed).toHaveLength(3);
    const open = claimed.find((one) => one.id !== late)!;
    const at = new Date(0x019a00000000).toISOString();
    expect(open.body).toMatch(
      new RegExp(
        `^{"type":"EMAIL_OPENED","timestamp":"${at}","data":{"id":"${sent.id}","emailTrackingId":"[\\w-]+","from":"Ada <a@acme.example>",` +
          `"to":\\["reader@example.com"\\],"subject":"S “x”","campaign":null,"metadata":{"a": "ü", "b": 1},"occurredAt":"${at}",` +
          `"class":"human","reason":"none","certainty":"probable"}}$`,
      ),
    );
    await settlement.failed(open, attempt, { ...failure, retryInMs: 0 });
    const [again] = await due.claimWoken([open.id], freeSlots);
    expect(again!.body).toBe(open.body);
  });
});
