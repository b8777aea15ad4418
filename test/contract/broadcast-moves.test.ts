import type { EmailSummary } from '../../src/emails/read/email-list.js';
import { BroadcastClient, draft, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;
let broadcasts: BroadcastClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
});
beforeEach(async () => {
  client = await service.organization();
  broadcasts = new BroadcastClient(client);
});
afterAll(() => service?.stop());

describe('a broadcast in progress', () => {
  const sentOf = async (id: string) => (await broadcasts.read(id)).progress.sent;
  /** Sends a broadcast so slowly that it does not finish before it is paused. */
  const begin = async (count: number, pace = 600) => {
    const id = await broadcasts.create({ pace });
    await broadcasts.add(id, people(count));
    expect(await broadcasts.move(id, 'send')).toEqual({ status: 200, is: 'sending' });
    await eventually(async () => (await sentOf(id)) > 0);
    return id;
  };

  it('keeps its pace, and shows its rate and the remaining time', async () => {
    const startedAt = performance.now();
    const id = await begin(40);
    const { progress } = await eventually(async () => {
      const broadcast = await broadcasts.read(id);
      return broadcast.progress.perSecond > 0 && broadcast;
    });
    expect(progress.etaSeconds).toBe(Math.ceil(progress.queued / progress.perSecond));
    expect(progress.perSecond).toBeLessThan(20);
    await broadcasts.settled(id, 'sent');
    // 40 emails at 10 a second; the first ones are sent at once.
    expect(performance.now() - startedAt).toBeGreaterThan(2_900);
  });

  it('pauses within a second, and resumes: every recipient gets one email', async () => {
    const id = await begin(60);
    expect(await broadcasts.move(id, 'pause')).toEqual({ status: 200, is: 'paused' });
    expect(await broadcasts.move(id, 'pause')).toEqual({ status: 200, is: 'paused' });
    const { organizationId } = client;
    await eventually(async () => {
      const rows = await service.database.query(
        'select 1 from pending_emails where organization_id = $1 and (dispatched_at is not null or due_at < now())',
        [organizationId],
      );
      return rows.length === 0;
    });
    const sent = await sentOf(id);
    expect(await broadcasts.move(id, 'send')).toMatchObject({ status: 409 });
    await client.post('/api/send', { ...draft, to: 'beside@readers.example' });
    expect(await sentOf(id)).toBe(sent);
    expect(await broadcasts.move(id, 'resume')).toEqual({ status: 200, is: 'sending' });
    expect(await broadcasts.settled(id, 'sent')).toMatchObject({ progress: { total: 60, sent: 60 } });
    expect(await broadcasts.move(id, 'pause')).toMatchObject({ status: 409 });
  });

  it('can be canceled: no other recipient gets an email, and no counter includes those emails', async () => {
    const id = await begin(500, 6_000);
    expect(await broadcasts.move(id, 'cancel')).toEqual({ status: 200, is: 'canceled' });
    const { progress, campaignId } = await broadcasts.settled(id, 'canceled');
    expect(progress.sent + progress.canceled).toBe(500);
    expect(progress.canceled).toBeGreaterThan(0);
    const { body: campaign } = await client.get(`/api/campaigns/${String(campaignId)}`);
    expect(campaign.stats).toMatchObject({ totalEmails: progress.sent });
    const { body } = await client.get<{ emails: EmailSummary[] }>('/api/emails?status=canceled');
    for (const { id: emailId } of body.emails.slice(0, 1)) {
      const { body: email } = await client.get(`/api/emails/${emailId}`);
      expect(email).toMatchObject({ status: 'canceled', recipients: [{ state: 'canceled' }] });
    }
    expect(await broadcasts.move(id, 'resume')).toMatchObject({ status: 409 });
    expect(await broadcasts.move(id, 'cancel')).toEqual({ status: 200, is: 'canceled' });
    expect((await client.delete(`/api/broadcasts/${id}`)).status).toBe(409);
    await eventually(async () => {
      const rows = await service.database.query('select from broadcast_recipients where broadcast_id = $1', [id]);
      return rows.length === 0;
    });
  });

  it.each(['pause', 'resume', 'cancel'] as const)('allows two identical requests at once: %s', async (move) => {
    const id = await broadcasts.create({ sendAt: new Date(Date.now() + 3_600_000).toISOString() });
    await broadcasts.add(id, people(1));
    await broadcasts.move(id, 'send');
    if (move === 'resume') await broadcasts.move(id, 'pause');
    let requests: Promise<{ status: number }[]> | undefined;
    await whileLocked(
      service.database,
      (sql) => sql.query('select from broadcasts where id = $1 for update', [id]),
      async () => {
        requests = Promise.all([broadcasts.move(id, move), broadcasts.move(id, move)]);
        await lockedOut(service.database, 2);
      },
    );
    expect((await requests!).map(({ status }) => status)).toEqual([200, 200]);
    const { body } = await client.get<{ entries: { action: string }[] }>('/api/audit');
    const moved = body.entries.filter(({ action }) => /^broadcast\.(paus|resum|cancel)/.test(action));
    expect(moved).toHaveLength(move === 'resume' ? 2 : 1);
  });

  it('starts at `sendAt`', async () => {
    const id = await broadcasts.create({ sendAt: new Date(Date.now() + 3_600_000).toISOString() });
    await broadcasts.add(id, people(3));
    expect(await broadcasts.move(id, 'send')).toEqual({ status: 200, is: 'scheduled' });
    expect(await broadcasts.add(id, people(1, 3))).toMatchObject({ added: 1 });
    expect(await broadcasts.move(id, 'pause')).toEqual({ status: 200, is: 'paused' });
    expect(await broadcasts.move(id, 'resume')).toEqual({ status: 200, is: 'scheduled' });
    // As if most of the hour had passed.
    await service.database.query(
      `update broadcasts set send_at = soon, step_at = soon from (select now() + interval '1 s' as soon) s where id = $1`,
      [id],
    );
    const { startedAt, sendAt, progress } = await broadcasts.settled(id, 'sent');
    expect(Date.parse(startedAt!)).toBeGreaterThanOrEqual(Date.parse(sendAt!));
    expect(progress).toMatchObject({ sent: 4 });
  });
});
