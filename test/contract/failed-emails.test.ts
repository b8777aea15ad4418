import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { ContactDetail } from '../../src/contacts/contact-views.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

const clock = { behind: 0, now: () => Date.now() - clock.behind };
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ clock, environment: AWAIT_RESULT });
  client = await service.organization();
});
afterAll(() => service?.stop());

/** A browser, because an email keeps the times of opens by people only. */
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const email = { from: 'ada@acme.example', subject: 'The engine', htmlContent: '<p>x</p>' };

async function contact(address: string): Promise<ContactDetail> {
  return (await client.get<ContactDetail>(`/api/contacts/${address}`)).body;
}

describe('An email that failed', () => {
  const fail = async (to: string | string[], campaignId: string): Promise<void> => {
    const response = await client.post('/api/send', { ...email, to, campaignId });
    expect(response).toMatchObject({ status: 500, body: { error: expect.stringMatching(/^Email delivery failed: /) } });
  };
  const refuse = (address: string, times?: number): void =>
    service.mailServer.scripts.add(address, { phase: 'rcpt', reply: '550 5.7.1 No such user' }, times);

  it('counts nowhere: not in the totals, campaigns, times and timeline of its contact, nor in its campaign', async () => {
    const to = 'moved@example.com';
    expect((await client.post('/api/send', { ...email, to, campaignId: 'Reached' })).status).toBe(200);
    const before = await eventually(async () => {
      const seen = await contact(to);
      return seen.lastActivity >= seen.timeline[0]!.timestamp && seen;
    });
    refuse(to);
    await fail(to, 'Missed');
    await fail(to, 'Reached');
    expect(await contact(to)).toEqual(before);
    const { body } = await client.get<{ campaigns: { id: string; name: string }[] }>('/api/campaigns');
    const totals = await Promise.all(
      ['Missed', 'Reached'].map(async (wanted) => {
        const { id } = body.campaigns.find(({ name }) => name === wanted)!;
        return (await client.get<CampaignDetail>(`/api/campaigns/${id}`)).body.stats.totalEmails;
      }),
    );
    expect(totals).toEqual([0, 1]);
  });

  it('leaves a contact without any email sent', async () => {
    refuse('never-reached@example.com');
    await fail(['never-reached@example.com'], 'Missed');
    const first = await contact('never-reached@example.com');
    await fail(['never-reached@example.com'], 'Missed again');
    expect(first).toMatchObject({ totalEmails: 0, campaigns: [], engagementScore: 0, timeline: [] });
    expect(first.lastActivity).toBe(first.firstSeen);
    expect(await contact('never-reached@example.com')).toEqual(first);
  });

  it('does not change what its contact did before', async () => {
    const to = 'active@example.com';
    const { body } = await client.post<{ emailTrackingId: string }>('/api/send', { ...email, to });
    await service.track(`http://track.test/api/t/o/${body.emailTrackingId}`);
    const before = await eventually(async () => {
      const seen = await contact(to);
      return seen.timeline[0]?.type === 'opened' && seen;
    });
    expect(before.lastActivity).toBe(before.timeline[0]!.timestamp);
    refuse(to);
    await fail(to, 'Missed');
    expect(await contact(to)).toEqual(before);
  });

  it('does not take back the time of an open whose event is deleted by age', async () => {
    const to = 'earlier@example.com';
    const { body } = await client.post<{ emailTrackingId: string }>('/api/send', { ...email, to });
    // So that nothing but its open is recent.
    await service.database.query(
      `update emails set created_at = created_at - interval '1 day', sent_at = sent_at - interval '1 day' where tracking_id = $1`,
      [body.emailTrackingId],
    );
    await service.track(`http://track.test/api/t/o/${body.emailTrackingId}`, {
      headers: { 'user-agent': PERSON },
    });
    const before = await eventually(async () => {
      const seen = await contact(to);
      return seen.timeline[0]?.type === 'opened' && seen;
    });
    await service.database.query('delete from events v using emails e where e.id = v.email_id and e.tracking_id = $1', [
      body.emailTrackingId,
    ]);
    refuse(to);
    await fail(to, 'Missed');
    expect((await contact(to)).lastActivity).toBe(before.lastActivity);
  });

  it('is not the first email of a contact that a later one reached', async () => {
    refuse('later@example.com');
    await fail('later@example.com', 'Missed');
    await client.post('/api/emails', { ...email, to: 'later@example.com' });
    await fail('later@example.com', 'Missed');
    const { timeline, firstSeen, lastActivity } = await contact('later@example.com');
    expect(timeline).toHaveLength(1);
    expect([firstSeen, lastActivity]).toEqual([timeline[0]!.timestamp, timeline[0]!.timestamp]);
  });

  it('is the first email of a contact again once it is retried', async () => {
    const to = 'once@example.com';
    for (const campaign of ['First', 'Second']) {
      refuse(to, 1);
      await fail(to, campaign);
    }
    const { body } = await client.get<{ emails: EmailSummary[] }>(`/api/emails?recipient=${to}`);
    const [second, first] = body.emails;
    for (const { id, createdAt } of [second!, first!]) {
      expect((await client.post(`/api/emails/${id}/retry`)).status).toBe(200);
      expect(await contact(to)).toMatchObject({ firstSeen: createdAt });
    }
  });

  it('is not the first email of a contact once another one counts', async () => {
    refuse('missed@example.com');
    await fail('missed@example.com', 'Missed');
    await client.post('/api/emails', { ...email, to: 'missed@example.com' });
    const { timeline, firstSeen } = await contact('missed@example.com');
    expect(timeline.map(({ timestamp }) => timestamp)).toEqual([firstSeen]);
  });
});

it('A contact was first seen at its earliest email, even if a process with a slow clock stores that one last', async () => {
  await client.post('/api/emails', { ...email, to: 'clocks@example.com' });
  clock.behind = 1_000;
  await client.post('/api/emails', { ...email, to: 'clocks@example.com' });
  clock.behind = 0;
  const { timeline, firstSeen } = await contact('clocks@example.com');
  expect(firstSeen).toBe(timeline.at(-1)!.timestamp);
});
