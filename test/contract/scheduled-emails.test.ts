import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import type { TimelineEntry } from '../../src/emails/read/timeline-entry.js';
import { bringForward } from '../support/bring-forward.js';
import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0', ...AWAIT_RESULT } });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(() => service?.stop());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const email = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'Later', htmlContent: '<p>x</p>' };
const inMs = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString();

const read = async (id: string): Promise<EmailDetail> => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;
const withStatus = async (status: string): Promise<string[]> => {
  const { body } = await client.get<{ emails: EmailSummary[] }>(`/api/emails?status=${status}`);
  return body.emails.map(({ trackingId }) => trackingId);
};
const schedule = async (sendAt: string, fields: object = {}): Promise<string> => {
  const { status, body } = await client.post<SendResponse>('/api/send', { ...email, ...fields, sendAt });
  expect({ status, is: body.status }).toEqual({ status: 202, is: 'scheduled' });
  return body.emailTrackingId;
};
const cancel = async (id: string) => {
  const { status, body } = await client.post<{ status?: string; error?: string }>(`/api/emails/${id}/cancel`, {});
  return { status, body };
};
const reschedule = async (id: string, sendAt: unknown) =>
  client.patch<EmailDetail & { error?: string }>(`/api/emails/${id}`, { sendAt });
const letPass = (milliseconds: number) => bringForward(service.database, client.organizationId, milliseconds);
const sent = (id: string): Promise<EmailDetail> =>
  eventually(async () => {
    const found = await read(id);
    return found.status === 'sent' && found;
  });

describe('An email with `sendAt` in the future', () => {
  it('is scheduled, and sent at its time', async () => {
    const sendAt = inMs(HOUR_MS);
    const { status, body, headers } = await client.post<SendResponse>('/api/send', { ...email, sendAt });
    expect({ status, body }).toMatchObject({ status: 202, body: { id: null, status: 'scheduled', links: [] } });
    const id = body.emailTrackingId;
    expect(await read(headers.get('location')!.split('/').at(-1)!)).toMatchObject({
      ...{ trackingId: id, status: 'scheduled', sendAt, nextAttemptAt: sendAt, attempts: 0, sentAt: null },
      recipients: [{ state: 'pending' }],
    });
    expect(await withStatus('scheduled')).toEqual([id]);
    expect(await withStatus('queued')).toEqual([]);
    await letPass(HOUR_MS - 1_000);
    const after = await sent(id);
    const movedTo = Date.parse(sendAt) - HOUR_MS + 1_000;
    expect(Date.parse(after.sentAt!)).toBeGreaterThanOrEqual(movedTo);
    expect(await withStatus('scheduled')).toEqual([]);
    const [message] = service.mailServer.messages.filter(({ emailId }) => emailId === after.id);
    const date = /^Date: (.*)$/m.exec(message!.content.toString())![1]!;
    expect(Date.parse(date)).toBe(Math.floor(movedTo / 1_000) * 1_000);
  });

  it('returns the same response to a repeated request, even after it was sent', async () => {
    const key = { 'idempotency-key': 'later-1' };
    const body = { ...email, sendAt: inMs(HOUR_MS) };
    const first = await client.post<SendResponse>('/api/send', body, key);
    expect(first).toMatchObject({ status: 202, body: { status: 'scheduled' } });
    const again = await client.post<SendResponse>('/api/send', body, key);
    expect(again).toMatchObject({ status: 202, body: first.body });
    await letPass(HOUR_MS);
    await sent(first.body.emailTrackingId);
    expect(await client.post('/api/send', body, key)).toMatchObject({ status: 202, body: first.body });
  });

  it('is sent at once if `sendAt` is in the past', async () => {
    const { status, body } = await client.post<SendResponse>('/api/send', { ...email, sendAt: inMs(-1) });
    expect({ status, is: body.status }).toEqual({ status: 200, is: undefined });
    expect(await read(body.emailTrackingId)).toMatchObject({ status: 'sent', sendAt: null });
  });

  it.each(['tomorrow', '2026-02-30T10:00:00Z', '2027-05-04T08:00:00', '2027-05-04', 1_900_000_000, null, ''])(
    'requires a time in ISO 8601 with a time zone: not %j',
    async (sendAt) => {
      const response = await client.post('/api/send', { ...email, sendAt });
      if (sendAt === null) return expect(response.status).toBe(200);
      expect(response).toMatchObject({ status: 400, body: { error: expect.stringContaining('sendAt') } });
    },
  );

  it('is refused more than 366 days ahead', async () => {
    await schedule(inMs(366 * DAY_MS - 5_000));
    const response = await client.post('/api/send', { ...email, sendAt: inMs(366 * DAY_MS + 5_000) });
    expect(response).toMatchObject({ status: 400, body: { error: 'sendAt must be at most 366 days ahead' } });
  });

  it('does not delay emails that are due', async () => {
    await Promise.all(Array.from({ length: 30 }, () => schedule(inMs(DAY_MS))));
    expect(await client.post('/api/send', email)).toMatchObject({ status: 200 });
  });
});

const ONLY = 'Only a scheduled or queued email can be canceled; this one is';

describe('A canceled email', () => {
  it('is never sent, and no counter includes it', async () => {
    const id = await schedule(inMs(HOUR_MS), { campaignId: 'Spring', to: 'nobody@example.com' });
    expect(await cancel(id)).toEqual({ status: 200, body: { status: 'canceled' } });
    expect(await read(id)).toMatchObject({
      ...{ status: 'canceled', canceledAt: expect.any(String), nextAttemptAt: null, sentAt: null },
      recipients: [{ state: 'canceled' }],
    });
    expect(await withStatus('canceled')).toEqual([id]);
    const { body } = await client.get<{ campaigns: { id: string }[] }>('/api/campaigns');
    const campaign = await client.get<CampaignDetail>(`/api/campaigns/${body.campaigns[0]!.id}`);
    expect(campaign.body.stats.totalEmails).toBe(0);
    expect((await client.get('/api/contacts/nobody@example.com')).body).toMatchObject({ totalEmails: 0 });
    const later = await schedule(inMs(HOUR_MS + 1_000));
    await letPass(HOUR_MS);
    await sent(later);
    expect(service.mailServer.messages.filter(({ recipients }) => recipients.includes('nobody@example.com'))).toEqual(
      [],
    );
  });

  it('stays canceled', async () => {
    const id = await schedule(inMs(DAY_MS));
    await cancel(id);
    expect(await cancel(id)).toMatchObject({ status: 409, body: { error: `${ONLY} canceled` } });
    expect(await reschedule(id, inMs(DAY_MS))).toMatchObject({ status: 409 });
    expect(await client.post(`/api/emails/${id}/retry`, {})).toMatchObject({ status: 409 });
  });

  it('must be unsent and of the own organization', async () => {
    const { body } = await client.post<SendResponse>('/api/send', email);
    expect(await cancel(body.emailTrackingId)).toMatchObject({ status: 409, body: { error: `${ONLY} sent` } });
    const id = await schedule(inMs(DAY_MS));
    client = await service.organization();
    expect(await cancel(id)).toMatchObject({ status: 404 });
    expect(await reschedule(id, inMs(DAY_MS))).toMatchObject({ status: 404 });
  });

  it('may have been waiting for a retry, unless it may have reached a recipient', async () => {
    const to = 'busy@example.com';
    service.mailServer.scripts.add(to, { phase: 'rcpt', reply: '451 4.7.1 Try again later' }, 2);
    const queued = await Promise.all(
      [1, 2].map(async () => {
        const { body } = await client.post<SendResponse>('/api/send', { ...email, to }, { prefer: 'respond-async' });
        await eventually(async () => (await read(body.emailTrackingId)).lastError !== null);
        return body.emailTrackingId;
      }),
    );
    expect(await cancel(queued[0]!)).toMatchObject({ status: 200 });
    expect(await read(queued[0]!)).toMatchObject({ attempts: 1, lastError: expect.stringContaining('451') });
    await service.database.query(
      `update pending_emails set possible_duplicate = true, due_at = now() + interval '1 hour'
        where email_id = (select id from emails where tracking_id = $1)`,
      [queued[1]],
    );
    expect(await cancel(queued[1]!)).toMatchObject({ status: 409, body: { error: expect.stringMatching(/reached/) } });
  });
});

describe('A rescheduled email', () => {
  it('is sent at the new time', async () => {
    const id = await schedule(inMs(DAY_MS));
    const sendAt = inMs(HOUR_MS);
    expect(await reschedule(id, sendAt)).toMatchObject({ status: 200, body: { status: 'scheduled', sendAt } });
    await letPass(HOUR_MS - 1_000);
    const { sentAt } = await sent(id);
    expect(Date.parse(sentAt!)).toBeGreaterThanOrEqual(Date.parse(sendAt) - HOUR_MS + 1_000);
  });

  it('is sent at once if the new time is in the past', async () => {
    const id = await schedule(inMs(DAY_MS));
    expect((await reschedule(id, inMs(-DAY_MS))).status).toBe(200);
    await sent(id);
    expect(await reschedule(id, inMs(DAY_MS))).toMatchObject({ status: 409 });
  });

  it('is sent later than before', async () => {
    const id = await schedule(inMs(HOUR_MS));
    expect((await reschedule(id, inMs(DAY_MS))).status).toBe(200);
    const later = await schedule(inMs(HOUR_MS + 1_000));
    await letPass(HOUR_MS);
    await sent(later);
    expect((await read(id)).status).toBe('scheduled');
  });

  it.each([undefined, null, 'tomorrow', inMs(400 * DAY_MS)])('needs a valid time: not %j', async (sendAt) => {
    const id = await schedule(inMs(DAY_MS));
    expect(await reschedule(id, sendAt)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('sendAt') },
    });
  });
});

const timelineOf = async (id: string): Promise<TimelineEntry[]> =>
  (await client.get<{ timeline: TimelineEntry[] }>(`/api/emails/${id}/timeline`)).body.timeline;

it('its timeline has the scheduling and the cancellation', async () => {
  const sendAt = inMs(DAY_MS);
  const id = await schedule(sendAt);
  const { createdAt } = await read(id);
  const scheduled = [
    { type: 'accepted', at: createdAt },
    { type: 'scheduled', at: createdAt, reason: `To be sent at ${sendAt}` },
  ];
  expect(await timelineOf(id)).toEqual(scheduled);
  await cancel(id);
  const { canceledAt } = await read(id);
  expect(await timelineOf(id)).toEqual([...scheduled, { type: 'canceled', at: canceledAt }]);
});
