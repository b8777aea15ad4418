import { randomBytes } from 'node:crypto';
import type { BatchResponse } from '../../src/emails/accept/batch/batch-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
});
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

const message = (fields: object = {}): object => ({
  ...{ from: 'Ada <ada@acme.example>', to: 'reader@example.com', subject: 'The engine' },
  htmlContent: '<p><a href="https://example.com/a">a</a></p>',
  ...fields,
});

type Entry = {
  id?: string;
  emailTrackingId?: string;
  status?: string;
  error?: string;
  details?: readonly { field: string }[];
};

const post = (emails: unknown, headers: Record<string, string> = {}): Promise<ApiResponse<BatchResponse>> =>
  client.post<BatchResponse>('/api/send/batch', { emails }, headers);

async function sent(...emails: unknown[]): Promise<Entry[]> {
  const { status, body } = await post(emails);
  expect({ status, body }).toMatchObject({ status: 202 });
  return [...body.emails];
}

const stored = async (): Promise<number> => {
  const [row] = await service.database.query<{ n: number }>(
    'select count(*)::integer as n from emails where organization_id = $1',
    [client.organizationId],
  );
  return row!.n;
};

const detail = async (entry: Entry): Promise<EmailDetail> =>
  (await client.get<EmailDetail>(`/api/emails/${entry.id}`)).body;

describe('POST /api/send/batch', () => {
  it('sends every message with all its fields, and responds in order', async () => {
    const entries = await sent(
      message({ to: ['one@example.com', 'Two <two@example.com>'], cc: 'cc@example.com', bcc: ['bcc@example.com'] }),
      message({ htmlContent: null, textContent: 'Only text', headers: { 'X-Order': '7' }, tags: ['a', 'b', 'a'] }),
      message({ campaignId: 'Spring', metadata: { order: 7 }, replyTo: 'help@acme.example' }),
      message({ campaignId: 'Spring', attachments: [{ filename: 'a.txt', content: 'SGVsbG8=' }] }),
      message({ unsubscribe: true, to: 'one@example.com' }),
    );
    expect(entries).toHaveLength(5);
    for (const entry of entries) {
      expect(entry).toEqual({ id: expect.any(String), emailTrackingId: expect.any(String), status: 'queued' });
    }
    const emails = await eventually(async () => {
      const details = await Promise.all(entries.map(detail));
      return details.every(({ status }) => status === 'sent') && details;
    });
    expect(emails.map(({ trackingId }) => trackingId)).toEqual(entries.map(({ emailTrackingId }) => emailTrackingId));
    expect(emails[0]).toMatchObject({ to: ['one@example.com', 'two@example.com'], cc: ['cc@example.com'] });
    expect(emails[0]).toMatchObject({ bcc: ['bcc@example.com'], links: [{ originalUrl: 'https://example.com/a' }] });
    expect(emails[1]).toMatchObject({ tags: ['a', 'b'], headers: { 'X-Order': '7' }, links: [] });
    expect(emails[2]).toMatchObject({ campaign: 'Spring', metadata: { order: 7 }, replyTo: 'help@acme.example' });
    expect(emails[3]).toMatchObject({ campaign: 'Spring', attachments: [{ filename: 'a.txt', size: 5 }] });
    const { body } = await client.get('/api/contacts/one@example.com');
    expect(body).toMatchObject({ totalEmails: 2 });
    const { body: list } = await client.get<{ campaigns: { name: string; stats: object }[] }>('/api/campaigns');
    expect(list.campaigns).toMatchObject([{ name: 'Spring' }]);
    const found = await client.get<{ emails: { id: string }[] }>('/api/emails?tag=a&from=ada@acme.example');
    expect(found.body.emails.map(({ id }) => id)).toEqual([entries[1]!.id]);
  });

  it('reports an invalid message at its position, and sends the others', async () => {
    const entries = await sent(
      message(),
      message({ subject: '', to: 7 }),
      'no object',
      message({ to: 'nobody' }),
      message({ attachments: [{ filename: 'a', content: '*' }] }),
      message({ htmlContent: '<mjml><mj-body><mj-nothing></mj-nothing></mj-body></mjml>' }),
      message({ campaignId: '' }),
      message({ headers: { Bcc: 'x' } }),
      message(),
    );
    const fields = entries.map(({ details }) => details?.map(({ field }) => field).sort());
    expect(fields.slice(1, 5)).toEqual([['subject', 'to'], undefined, ['to'], ['attachments.0.content']]);
    expect(entries.map(({ error, status }) => (error ? 'error' : status))).toEqual([
      ...['queued', 'error', 'error', 'error', 'error', 'error', 'error', 'error', 'queued'],
    ]);
    expect(await stored()).toBe(2);
  });

  it('leaves suppressed recipients out, and refuses a message that has no other recipients', async () => {
    await client.post('/api/suppressions', { address: 'gone@example.com' });
    const [partly, refused, fine] = await sent(
      message({ to: ['gone@example.com', 'here@example.com'] }),
      message({ to: 'GONE@example.com', campaignId: 'Never made' }),
      message(),
    );
    expect(partly).toMatchObject({ status: 'queued', suppressed: [{ address: 'gone@example.com', reason: 'manual' }] });
    expect(refused).toEqual({
      error: 'Every address in to is suppressed',
      details: [{ field: 'to', message: 'GONE@example.com is suppressed: manual' }],
    });
    expect(fine).toMatchObject({ status: 'queued' });
    const email = await eventually(async () => {
      const seen = await detail(partly!);
      return seen.status === 'sent' && seen;
    });
    expect(email.recipients.map(({ state }) => state)).toEqual(['suppressed', 'sent']);
    expect((await client.get<{ campaigns: object[] }>('/api/campaigns')).body.campaigns).toEqual([]);
  });

  it('sends each message once per Idempotency-Key, even for simultaneous requests', async () => {
    const emails = [
      message(),
      message({ subject: '' }),
      message({ attachments: [{ filename: 'a', content: 'AAAA' }] }),
    ];
    const key = { 'idempotency-key': 'batch-1' };
    const responses = await Promise.all([post(emails, key), post(emails, key), post(emails, key)]);
    responses.push(await post(emails, key));
    expect(responses.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    for (const { body } of responses) expect(body).toEqual(responses[0]!.body);
    expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(await stored()).toBe(2);
    expect((await post([message()], key)).status).toBe(422);
    expect((await client.post('/api/send', message(), key)).status).toBe(422);
    expect((await post([message({ subject: '' })], { 'idempotency-key': 'free' })).status).toBe(202);
    expect((await post([message()], { 'idempotency-key': 'free' })).body.emails[0]).toMatchObject({ status: 'queued' });
  });

  it.each<[string, unknown, unknown]>([
    ['a field', message({ subject: 7 }), message({ subject: 8 })],
    ['another valid field', message({ subject: 7 }), message({ subject: 7, to: 'other@example.com' })],
    ['a header', message({ headers: { 'X-A': ['a'] } }), message({ headers: { 'X-A': [['a']] } })],
    [
      'an attachment',
      message({ attachments: [{ filename: 'a', content: '*' }] }),
      message({ attachments: [{ filename: 'a', content: '?' }] }),
    ],
    ['everything', [1, [2]], [1, 2]],
  ])('is another request if an invalid message differs in %s, but not in unknown fields', async (_, one, other) => {
    const key = { 'idempotency-key': 'with an invalid message' };
    const first = await post([message(), one], key);
    expect(first.body.emails).toMatchObject([{ status: 'queued' }, { error: expect.any(String) }]);
    expect((await post([message(), other], key)).status).toBe(422);
    const same = Array.isArray(one) ? one : { unknown: 1, ...(one as object) };
    const replay = await post([message(), same], key);
    expect([replay.headers.get('idempotent-replayed'), replay.body]).toEqual(['true', first.body]);
    expect(await stored()).toBe(1);
  });

  it('accepts five hundred messages', async () => {
    const entries = await sent(
      ...Array.from({ length: 500 }, (_, n) => message({ to: `r${n % 50}@example.com`, campaignId: `C${n % 3}` })),
    );
    expect(entries.filter(({ status }) => status === 'queued')).toHaveLength(500);
    expect(await stored()).toBe(500);
    const [contact] = await service.database.query<{ emails: string }>(
      `select emails from contacts where organization_id = $1 and address_key = 'r7@example.com'`,
      [client.organizationId],
    );
    expect(Number(contact!.emails)).toBe(10);
  });

  it('schedules a message, and renders a template', async () => {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const entries = await sent(
      message({ sendAt }),
      message({ subject: 'Dear {{ name }}', variables: { name: 'Ada' } }),
    );
    expect(entries.map(({ status }) => status)).toEqual(['scheduled', 'queued']);
    expect(await detail(entries[0]!)).toMatchObject({ status: 'scheduled', sendAt });
    expect(await detail(entries[1]!)).toMatchObject({ subject: 'Dear Ada' });
  });

  it('refuses a message of a campaign that was archived before or is archived meanwhile', async () => {
    const { body } = await client.post('/api/campaigns', { name: 'Old' });
    await client.post(`/api/campaigns/${String(body.id)}/archive`);
    await service.database.query('update campaigns set archived_at = now() where id = $1', [body.id]);
    const entries = await sent(message({ campaignId: 'Old' }), message());
    expect([entries[0]!.error, entries[1]!.status]).toEqual([expect.stringMatching(/archived/), 'queued']);
  });

  it.each([
    ['no list', { emails: message() }],
    ['no messages', { emails: [] }],
    ['501 messages', { emails: Array.from({ length: 501 }, () => 1) }],
    ['nothing', {}],
  ])('refuses a body with %s', async (_, body) => {
    const { status, body: error } = await client.post<{ details: object[] }>('/api/send/batch', body);
    expect([status, error.details]).toEqual([400, [{ field: 'emails', message: expect.any(String) }]]);
    expect(await stored()).toBe(0);
  });

  it('stores the attachments of accepted messages only', async () => {
    const file = (): object => ({ filename: 'x', content: randomBytes(100).toString('base64') });
    await sent(message({ attachments: [file()] }), message({ subject: '', attachments: [file()] }));
    const [row] = await service.database.query<{ n: number }>(
      'select count(*)::integer as n from attachment_contents where organization_id = $1',
      [client.organizationId],
    );
    expect(row!.n).toBe(1);
  });
});
