import type { EmailSummary } from '../../src/emails/read/email-list.js';
import type { TrackResponse } from '../../src/emails/accept/track-response.js';
import { NO_ENGAGEMENT } from '../support/engagement.js';
import { nextPage } from '../support/next-page.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const email = {
  to: 'reader@example.com',
  subject: 'The engine',
  htmlContent: '<body><a href="https://example.com/a">a</a><a href="https://example.com/b">b</a></body>',
};

async function tracked(fields: object = {}): Promise<TrackResponse> {
  const { status, body } = await client.post<TrackResponse>('/api/emails', { ...email, ...fields });
  expect(status).toBe(200);
  return body;
}

async function listed(query: string): Promise<EmailSummary[]> {
  return (await client.get<{ emails: EmailSummary[] }>(`/api/emails?${query}`)).body.emails;
}

describe('GET /api/emails', () => {
  it('lists newest first and filters by campaign name, campaign ID, recipient and status', async () => {
    const first = await tracked({ campaignId: 'Filtered', to: 'Filter@Example.com' });
    const second = await tracked({ campaignId: 'Filtered', to: 'other@example.com' });
    const third = await tracked({ to: ['filter@example.com', 'third@example.com'] });
    const { body } = await client.post(
      '/api/send',
      { ...email, from: 'a@b.co', to: 'q@example.com' },
      { prefer: 'respond-async' },
    );
    expect(body).toMatchObject({ status: 'queued' });

    const ids = async (query: string) => (await listed(query)).map(({ id }) => id);
    expect((await ids('')).slice(1, 4)).toEqual([third.id, second.id, first.id]);
    expect(await ids('campaignId=Filtered')).toEqual([second.id, first.id]);
    const { body: campaigns } = await client.get<{ campaigns: { id: string; name: string }[] }>('/api/campaigns');
    const { id: campaignId } = campaigns.campaigns.find(({ name }) => name === 'Filtered')!;
    expect(await ids(`campaignId=${campaignId}`)).toEqual([second.id, first.id]);
    expect(await ids('recipient=FILTER@example.com')).toEqual([third.id, first.id]);
    expect(await ids('recipient=filter@example.com&campaignId=Filtered&status=tracked')).toEqual([first.id]);
    expect(await listed('status=queued')).toMatchObject([{ trackingId: body.emailTrackingId, status: 'queued' }]);
    expect(await ids('status=failed')).toEqual([]);
    expect(await ids('campaignId=Unknown')).toEqual([]);
    expect(await ids('recipient=nobody@example.com')).toEqual([]);
    expect((await listed('recipient=third@example.com'))[0]).toEqual({
      id: third.id,
      trackingId: third.emailTrackingId,
      status: 'tracked',
      recipient: 'filter@example.com, third@example.com',
      recipientStates: { sent: 2 },
      subject: 'The engine',
      campaign: null,
      tags: [],
      lastError: null,
      createdAt: expect.any(String),
      sentAt: expect.any(String),
      opens: 0,
      clicks: 0,
      ...NO_ENGAGEMENT,
    });
  });

  it('finds only its own emails by recipient when two organizations write to the same address', async () => {
    const [one, other] = [await service.organization(), await service.organization()];
    const sent = new Map<TestClient, string>();
    for (const organization of [one, other]) {
      const { body } = await organization.post<TrackResponse>('/api/emails', { ...email, to: 'both@example.com' });
      sent.set(organization, body.id);
    }
    for (const [organization, id] of sent) {
      const { body } = await organization.get('/api/emails?recipient=both@example.com');
      expect(body).toMatchObject({ emails: [{ id }] });
    }
  });

  it.each([
    'status=lost',
    'status=',
    'status=sent&status=failed',
    'recipient=',
    'recipient=a,b',
    'campaignId=',
    'campaignId=%00',
    'limit=0',
    'limit=1001',
    'limit=x',
    'cursor=x',
    'cursor=WyJ4Il0',
  ])('refuses ?%s', async (query) => {
    const { status, body } = await client.get(`/api/emails?${query}`);
    expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ field: query.split('=')[0] }] } });
  });

  it('pages stay stable while emails are added', async () => {
    const before = (await listed('')).map(({ id }) => id);
    const seen: string[] = [];
    for (let path: string | undefined = '/api/emails?limit=4'; path;) {
      const page: { headers: Headers; body: { emails: EmailSummary[] } } = await client.get(path);
      seen.push(...page.body.emails.map(({ id }) => id));
      path = nextPage(page.headers);
      await tracked();
    }
    expect(seen).toEqual(before);
  });
});
