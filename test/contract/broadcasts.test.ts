import type { BroadcastView } from '../../src/broadcasts/broadcast-view.js';
import type { UploadResult } from '../../src/broadcasts/recipients/recipient-upload.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
});
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

const draft = {
  name: 'Spring sale',
  from: 'Acme News <news@acme.example>',
  subject: 'The sale',
  htmlContent: '<body><a href="https://shop.example/">Shop</a> <a href="{{unsubscribe_url}}">Unsubscribe</a></body>',
};
const people = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ to: `reader${from + n}@example.com` }));

async function create(fields: object = {}): Promise<string> {
  const { status, body } = await client.post<BroadcastView>('/api/broadcasts', { ...draft, ...fields });
  expect({ status, error: (body as { error?: string }).error }).toEqual({ status: 201, error: undefined });
  return body.id;
}

async function add(id: string, recipients: readonly object[]): Promise<UploadResult> {
  const { status, body } = await client.post<UploadResult>(`/api/broadcasts/${id}/recipients`, { recipients });
  expect({ status, error: (body as { error?: string }).error }).toEqual({ status: 200, error: undefined });
  return body;
}

async function read(id: string): Promise<BroadcastView> {
  return (await client.get<BroadcastView>(`/api/broadcasts/${id}`)).body;
}

/** The broadcast once it has this status and no email of it is under way. */
function settled(id: string, status: BroadcastView['status']): Promise<BroadcastView> {
  return eventually(async () => {
    const broadcast = await read(id);
    return broadcast.status === status && broadcast.progress.queued === 0 && broadcast;
  });
}

describe('a broadcast', () => {
  it('sends every recipient an email of its own, in its campaign, which it can unsubscribe from', async () => {
    const id = await create();
    expect(await read(id)).toMatchObject({ status: 'draft', campaignId: null, progress: { total: 0, sent: 0 } });
    expect(await add(id, people(40))).toEqual({ added: 40, repeated: 0, suppressed: 0, invalidTotal: 0, invalid: [] });
    const begun = await client.post<BroadcastView>(`/api/broadcasts/${id}/send`);
    expect(begun).toMatchObject({ status: 200, body: { status: 'sending', progress: { total: 40 } } });

    const { campaignId, progress } = await settled(id, 'sent');
    expect(progress).toMatchObject({ total: 40, sent: 40, failed: 0, suppressed: 0, canceled: 0, etaSeconds: null });
    const messages = service.mailServer.messages.map(({ content }) => content.toString());
    expect(messages).toHaveLength(40);
    expect(new Set(messages.map((text) => /^To: (.*)$/m.exec(text)?.[1]?.trim())).size).toBe(40);
    for (const text of messages) expect(text).toMatch(/^List-Unsubscribe: </m);
    const { body: campaign } = await client.get(`/api/campaigns/${String(campaignId)}`);
    expect(campaign).toMatchObject({ name: 'Spring sale', stats: { totalEmails: 40 } });
    const { body: list } = await client.get<{ emails: EmailSummary[] }>('/api/emails?campaignId=Spring%20sale');
    expect(list.emails.map(({ status, subject }) => `${status} ${subject}`)).toEqual(Array(40).fill('sent The sale'));
    const { body: contact } = await client.get('/api/contacts/reader7@example.com');
    expect(contact).toMatchObject({ email: 'reader7@example.com' });
  });
});
