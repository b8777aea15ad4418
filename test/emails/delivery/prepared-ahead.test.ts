import type { DeliverEmail, PreparedEmail } from '../../../src/emails/delivery/deliver-email.js';
import { PreparedAhead } from '../../../src/emails/delivery/prepared-ahead.js';
import { eventually } from '../../support/eventually.js';
import { TestService, type TestClient } from '../../support/service.js';

const job = (emailId: string) => ({ emailId });

/** @param characters of each email */
function aheadOf(slots: number, characters: number) {
  const loaded: string[] = [];
  const delivery = {
    prepareAhead: ({ emailId }: { emailId: string }) => {
      loaded.push(emailId);
      if (emailId === 'fails') return Promise.reject(new Error('Postgres is down'));
      if (emailId === 'not due') return Promise.resolve(undefined);
      const email = { html: 'x'.repeat(characters), text: null };
      return Promise.resolve({ email, render: () => ({ kind: 'retry', reason: 'none' }), loadedAt: 0 });
    },
  } as unknown as DeliverEmail;
  return { ahead: new PreparedAhead(delivery, { WORKER_CONCURRENCY: slots }), loaded };
}

describe('emails that are prepared while they wait for a slot', () => {
  it('are at most as many as there are slots', async () => {
    const { ahead, loaded } = aheadOf(2, 10);
    const prepared = await Promise.all(['a', 'b', 'c'].map((id) => ahead.prepare(job(id), 0)));
    expect(prepared.map((one) => one !== undefined)).toEqual([true, true, false]);
    ahead.release(prepared[0]!);
    ahead.release(prepared[0]!);
    expect(await ahead.prepare(job('d'), 0)).toBeDefined();
    expect(await ahead.prepare(job('e'), 0)).toBeUndefined();
    expect(loaded).toEqual(['a', 'b', 'd']);
  });

  it('hold a limited amount of memory', async () => {
    const { ahead } = aheadOf(10, 9_000_000);
    const prepared = [await ahead.prepare(job('a'), 0), await ahead.prepare(job('b'), 0)];
    expect(await ahead.prepare(job('c'), 0)).toBeUndefined();
    ahead.release(prepared[1]!);
    expect(await ahead.prepare(job('d'), 0)).toBeDefined();
  });

  it('do not include those that are not due or whose preparation fails', async () => {
    const { ahead } = aheadOf(1, 10);
    for (const id of ['fails', 'not due', 'fails']) expect(await ahead.prepare(job(id), 0)).toBeUndefined();
    expect(await ahead.prepare(job('a'), 0)).toBeDefined();
  });

  it('may be passed from another source, and then do not count', async () => {
    const { ahead } = aheadOf(1, 10);
    ahead.release({ email: {}, loadedAt: 0 } as unknown as PreparedEmail);
    expect(await ahead.prepare(job('a'), 0)).toBeDefined();
    expect(await ahead.prepare(job('b'), 0)).toBeUndefined();
  });
});

describe('a worker with one slot', () => {
  let api: TestService;
  let worker: TestService;
  let client: TestClient;
  let release: () => void;

  beforeEach(async () => {
    api = await TestService.start({ environment: { ROLES: 'api', SEND_RESPONSE_TIMEOUT_MS: '120000' } });
    worker = await TestService.start({ environment: { ROLES: 'worker', WORKER_CONCURRENCY: '1' }, beside: api });
    client = await api.organization();
    const released = new Promise<void>((resolve) => (release = resolve));
    api.mailServer.scripts.add('first@example.com', { phase: 'dot', after: released });
  });
  afterEach(async () => {
    release();
    await worker.stop();
    await api.stop();
  });

  /** Long enough to be rendered in a thread, which a metric counts. */
  const htmlContent = '<p>x</p>'.repeat(10_000);
  const send = (to: string) => client.post('/api/send', { from: 'ada@acme.example', to, subject: 'S', htmlContent });

  async function rendered(): Promise<number> {
    const metric = await worker.metrics.getSingleMetric('mailbeacon_rendering_tasks_total')!.get();
    return metric.values.reduce((total, { value }) => total + value, 0);
  }

  async function statusOf(to: string): Promise<string | undefined> {
    const { body } = await client.get<{ emails: { status: string }[] }>(`/api/emails?recipient=${to}`);
    return body.emails[0]?.status;
  }

  it('prepares the next email while the provider is busy, and claims it only in its turn', async () => {
    const first = send('first@example.com');
    await eventually(async () => (await statusOf('first@example.com')) === 'sending');
    const second = send('second@example.com');
    await eventually(async () => (await rendered()) === 2);
    expect(await statusOf('second@example.com')).toBe('queued');
    release();
    expect((await first).status).toBe(200);
    expect((await second).status).toBe(200);
    // Not again for the delivery.
    expect(await rendered()).toBe(2);
    expect(api.mailServer.messages.map(({ recipients }) => recipients)).toEqual([
      ['first@example.com'],
      ['second@example.com'],
    ]);
  });

  it('does not send an email that was suppressed after it was prepared', async () => {
    const first = send('first@example.com');
    await eventually(async () => (await statusOf('first@example.com')) === 'sending');
    const second = send('second@example.com');
    await eventually(async () => (await rendered()) === 2);
    expect((await client.post('/api/suppressions', { address: 'second@example.com' })).status).toBeLessThan(300);
    release();
    expect((await first).status).toBe(200);
    expect((await second).status).toBe(500);
    expect(await statusOf('second@example.com')).toBe('failed');
    expect(api.mailServer.messages).toHaveLength(1);
  });
});
