import { lockedOut } from '../support/held-lock.js';
import { HOUR, WebhookBench } from './webhook-bench.js';

const URL = 'http://127.0.0.1:9/replayed';
const since = new Date(Date.now() - HOUR).toISOString();

let bench: WebhookBench;

/** Without a worker, nothing attempts deliveries. */
beforeAll(async () => {
  bench = await WebhookBench.start({ environment: { ROLES: 'api' } });
});
afterAll(() => bench?.stop());
afterEach(() => bench.removeWebhooks());

const replay = async (id: string) => (await bench.client.post(`/api/webhooks/${id}/replay`, { since })).body;

describe('an open that waits until it can no longer turn out to be by a machine', () => {
  it('is sent neither by a replay nor by a retry before that', async () => {
    const { database } = bench.service;
    const { id } = await bench.webhook(URL, ['EMAIL_OPENED']);
    const [waiting] = await database.query<{ id: string }>(
      `insert into webhook_deliveries (id, endpoint_id, type, event_id, verdict, next_attempt_at)
       values (gen_random_uuid(), $1, 'EMAIL_OPENED', gen_random_uuid(), 0, now() + interval '45 seconds') returning id`,
      [id],
    );
    const [before] = await bench.deliveries(id);
    expect(await replay(id)).toEqual({ replayed: 0, more: false });
    expect((await bench.client.post(`/api/webhooks/${id}/deliveries/${waiting!.id}/retry`)).status).toBe(200);
    expect(await bench.deliveries(id)).toEqual([before]);
    await database.query('update webhook_deliveries set attempts = 1 where id = $1', [waiting!.id]);
    expect((await bench.client.post(`/api/webhooks/${id}/deliveries/${waiting!.id}/retry`)).status).toBe(200);
    const [after] = await bench.deliveries(id);
    expect(Date.parse(after!.nextAttemptAt!)).toBeLessThan(Date.parse(before!.nextAttemptAt!));
  });
});

describe('a replay of more deliveries than it takes at once', () => {
  it('says that more are left, although a worker claims one of them meanwhile', async () => {
    const { database } = bench.service;
    const { id } = await bench.webhook(URL);
    for (let part = 0; part < 4; part++) await bench.write(id, 3_000);
    await database.query(`update webhook_deliveries set status = 'failed' where endpoint_id = $1`, [id]);
    const replayed = await database.transaction(async (worker) => {
      await worker.query(
        `update webhook_deliveries set lease_token = gen_random_uuid()
          where id = (select id from webhook_deliveries where endpoint_id = $1 order by id limit 1)`,
        [id],
      );
      const running = replay(id);
      await lockedOut(database, 1);
      return { running };
    });
    expect(await replayed.running).toEqual({ replayed: 9_999, more: true });
    expect(await replay(id)).toEqual({ replayed: 2_000, more: false });
  });
});

describe('a replay until a time', () => {
  it('leaves out a delivery of exactly that time', async () => {
    const { database } = bench.service;
    const { id } = await bench.webhook(URL);
    const [written] = await bench.write(id, 1);
    const [row] = await database.query<{ at: Date }>(
      `update webhook_deliveries set status = 'failed', created_at = date_trunc('milliseconds', created_at)
        where id = $1 returning created_at as at`,
      [written],
    );
    const replayUntil = async (ms: number) => {
      const until = new Date(ms).toISOString();
      return (await bench.client.post(`/api/webhooks/${id}/replay`, { since, until })).body;
    };
    const at = row!.at.getTime();
    expect(await replayUntil(at)).toEqual({ replayed: 0, more: false });
    expect(await replayUntil(at + 1)).toEqual({ replayed: 1, more: false });
  });
});

describe('a retry of a delivery that a worker is attempting', () => {
  it('leaves it to that worker, so that it is not called twice at the same time', async () => {
    const { id } = await bench.webhook(URL);
    const [written] = await bench.write(id, 1);
    await bench.service.database.query(
      `update webhook_deliveries set lease_token = gen_random_uuid(), next_attempt_at = now() + interval '25 seconds'
        where id = $1`,
      [written],
    );
    const [before] = await bench.deliveries(id);
    expect((await bench.client.post(`/api/webhooks/${id}/deliveries/${written}/retry`)).status).toBe(200);
    expect(await bench.deliveries(id)).toEqual([before]);
  });
});
