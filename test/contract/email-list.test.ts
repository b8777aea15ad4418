import type { EmailSummary } from '../../src/emails/read/email-list.js';
import { NO_ENGAGEMENT } from '../support/engagement.js';
import { nextPage } from '../support/next-page.js';
import { TestService, type TestClient } from '../support/service.js';
import { emailToTrack, listEmails, trackEmail } from '../support/tracked-emails.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

describe('GET /api/emails', () => {
  it('lists newest first and filters by campaign name, campaign ID, recipient and status', async () => {
    const first = await trackEmail(client, { campaignId: 'Filtered', to: 'Filter@Example.com' });
    const second = await trackEmail(client, { campaignId: 'Filtered', to: 'other@example.com' });
    const third = await trackEmail(client, { to: ['filter@example.com', 'third@example.com'] });
    const { body } = await client.post(
      '/api/send',
      { ...emailToTrack, from: 'a@b.co', to: 'q@example.com' },
      { prefer: 'respond-async' },
    );
    expect(body).toMatchObject({ status: 'queued' });

    const ids = async (query: string) => (await listEmails(client, query)).map(({ id }) => id);
    expect((await ids('')).slice(1, 4)).toEqual([third.id, second.id, first.id]);
    expect(await ids('campaignId=Filtered')).toEqual([second.id, first.id]);
    const { body: campaigns } = await client.get<{ campaigns: { id: string; name: string }[] }>('/api/campaigns');
    const { id: campaignId } = campaigns.campaigns.find(({ name }) => name === 'Filtered')!;
    expect(await ids(`campaignId=${campaignId}`)).toEqual([second.id, first.id]);
    expect(await ids('recipient=FILTER@example.com')).toEqual([third.id, first.id]);
    expect(await ids('recipient=filter@example.com&campaignId=Filtered&status=tracked')).toEqual([first.id]);
    expect(await listEmails(client, 'status=queued')).toMatchObject([
      { trackingId: body.emailTrackingId, status: 'queued' },
    ]);
    expect(await ids('status=failed')).toEqual([]);
    expect(await ids('campaignId=Unknown')).toEqual([]);
    expect(await ids('recipient=nobody@example.com')).toEqual([]);
    expect((await listEmails(client, 'recipient=third@example.com'))[0]).toEqual({
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
      const body = await trackEmail(organization, { to: 'both@example.com' });
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
    const before = (await listEmails(client)).map(({ id }) => id);
    const seen: string[] = [];
    for (let path: string | undefined = '/api/emails?limit=4'; path;) {
      const page: { headers: Headers; body: { emails: EmailSummary[] } } = await client.get(path);
      seen.push(...page.body.emails.map(({ id }) => id));
      path = nextPage(page.headers);
      await trackEmail(client);
    }
    expect(seen).toEqual(before);
  });
});
