import { simpleParser, type ParsedMail } from 'mailparser';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { NO_ENGAGEMENT } from '../support/engagement.js';
import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService, type ApiResponse, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: AWAIT_RESULT });
  client = await service.organization();
});
afterAll(() => service?.stop());

const email = {
  from: 'Ada Lovelace <ada@acme.example>',
  to: 'reader@example.com',
  subject: 'The engine',
  htmlContent: '<body><a href="https://example.com/a">a</a></body>',
};

async function sent(
  fields: object,
): Promise<{ response: SendResponse; message: ParsedMail; recipients: readonly string[] }> {
  const { status, body: response } = await client.post<SendResponse>('/api/send', { ...email, ...fields });
  expect(status).toBe(200);
  for (const { content, recipients } of service.mailServer.messages) {
    const message = await simpleParser(content);
    if (message.html && message.html.includes(response.pixelUrl)) return { response, message, recipients };
  }
  throw new Error('The mail server has no message with this pixel');
}

describe('the sender', () => {
  it('of an unverified domain is rewritten: the display name stays, replies go to the original address', async () => {
    const { response, message } = await sent({ to: 'one@example.com' });
    expect(response.from).toMatch(/^Ada Lovelace <ada-acme-example-\w+@platform\.test>$/);
    expect(message.from!.value).toEqual([{ name: 'Ada Lovelace', address: response.from.slice(14, -1) }]);
    expect(message.replyTo!.text).toContain('ada@acme.example');
    const again = await sent({ from: 'ADA@acme.example', to: 'two@example.com' });
    expect(again.response.from).toBe(response.from.slice(14, -1));
  });

  it('keeps the replyTo of the request', async () => {
    const { message } = await sent({ replyTo: 'Help <help@acme.example>', to: 'three@example.com' });
    expect(message.replyTo!.value).toEqual([{ name: 'Help', address: 'help@acme.example' }]);
  });

  it('of a verified domain is not changed', async () => {
    const own = await service.organization();
    await service.database.query(
      `insert into sending_domains (id, organization_id, domain, status, verified_at)
       values (gen_random_uuid(), $1, 'verified.example', 'verified', now())`,
      [own.organizationId],
    );
    const from = 'Ada <ada@verified.example>';
    const { body } = await own.post<SendResponse>('/api/send', { ...email, from, to: 'four@example.com' });
    expect(body.from).toBe(from);
    expect((await client.post<SendResponse>('/api/send', { ...email, from })).body.from).toMatch(/@platform\.test>$/);
  });
});

describe('the recipients', () => {
  it('to, cc and bcc are one address or several; the response has `to` as an array', async () => {
    const { response, message, recipients } = await sent({
      to: ['Five <five@example.com>', 'FIVE@example.com', 'six@example.com'],
      cc: 'seven@example.com',
      bcc: ['eight@example.com', 'six@example.com'],
    });
    expect(response.to).toEqual(['five@example.com', 'six@example.com']);
    expect([...recipients].sort()).toEqual(
      ['eight@example.com', 'five@example.com', 'seven@example.com', 'six@example.com'].sort(),
    );
    expect(message.headers.has('bcc')).toBe(false);
    expect((message.cc as { text: string }).text).toBe('seven@example.com');
  });

  it('of one message share its pixel: an open counts once for each', async () => {
    const { response } = await sent({ to: ['nine@example.com', 'ten@example.com'], campaignId: 'Shared' });
    const { body } = await client.get<EmailDetail>(`/api/emails/${response.emailTrackingId}`);
    for (const address of ['nine', 'ten']) {
      const { body: contact } = await client.get(`/api/contacts/${address}@example.com`);
      expect(contact).toMatchObject({ totalEmails: 1, campaigns: ['Shared'] });
    }
    expect(body).toMatchObject({ to: ['nine@example.com', 'ten@example.com'], campaign: 'Shared' });
  });
});

describe('metadata', () => {
  it('is stored, returned with the email, and never part of the mail', async () => {
    const metadata = { order: 'canary-4711', nested: { list: [1, 'ü', null] } };
    const { response } = await sent({ to: 'eleven@example.com', metadata });
    expect((await client.get(`/api/emails/${response.emailTrackingId}`)).body.metadata).toEqual(metadata);
    for (const { content } of service.mailServer.received) expect(content.toString()).not.toContain('canary-4711');
  });
});

describe('GET /api/emails/:id', () => {
  it('has status, attempts, last error, provider ID, timestamps, links with clicks, and opens', async () => {
    const { response } = await sent({ to: 'twelve@example.com' });
    const { body } = await client.get<EmailDetail>(`/api/emails/${response.emailTrackingId}`);
    expect(body).toEqual({
      id: expect.any(String),
      trackingId: response.emailTrackingId,
      status: 'sent',
      from: response.from,
      replyTo: 'Ada Lovelace <ada@acme.example>',
      to: ['twelve@example.com'],
      cc: [],
      bcc: [],
      subject: 'The engine',
      campaign: null,
      metadata: null,
      tags: [],
      headers: null,
      attachments: [],
      providerId: response.id,
      attempts: 1,
      lastError: null,
      possibleDuplicate: false,
      createdAt: expect.any(String),
      sentAt: expect.any(String),
      failedAt: null,
      canceledAt: null,
      sendAt: null,
      nextAttemptAt: null,
      opens: 0,
      clicks: 0,
      ...NO_ENGAGEMENT,
      pixelUrl: response.pixelUrl,
      links: [{ ...response.links[0], clicks: 0, people: 0 }],
      recipients: [
        {
          ...{ address: 'twelve@example.com', kind: 'to', state: 'sent' },
          ...{ reason: null, smtpStatus: null, updatedAt: expect.any(String) },
        },
      ],
    });
    expect((await client.get<EmailDetail>(`/api/emails/${body.id}`)).body).toEqual(body);
  });

  it('has the last error of an email that failed', async () => {
    service.mailServer.scripts.add('refused@example.com', { phase: 'rcpt', reply: '550 5.1.1 No such user' });
    // 202 if Redis takes a second for the job, as it may on a busy machine.
    const { status, body } = await eventually(async () => {
      const response = await client.post('/api/send', { ...email, to: 'refused@example.com' });
      return response.status !== 202 && response;
    });
    expect([status, body]).toEqual([500, { error: expect.stringMatching(/^Email delivery failed: /) }]);
    const { body: list } = await client.get<{ emails: { id: string }[] }>('/api/emails?status=failed');
    expect((await client.get(`/api/emails/${list.emails[0]!.id}`)).body).toMatchObject({
      status: 'failed',
      attempts: 1,
      lastError: expect.stringMatching(/No such user/),
      failedAt: expect.any(String),
      sentAt: null,
    });
  });
});

describe('400 Required fields missing, or invalid JSON', () => {
  it.each(['from', 'to', 'subject', 'htmlContent'])('%s', async (field) => {
    const response = await client.post('/api/send', { ...email, [field]: undefined });
    expect(response).toMatchObject({ status: 400, body: { error: expect.any(String), details: [{ field }] } });
  });

  it('names every field with a wrong type', async () => {
    const { status, body } = await client.post<{ details: { field: string }[] }>('/api/send', {
      ...{ from: 1, to: [1], subject: {}, htmlContent: [], replyTo: 1, cc: 1, bcc: {}, campaignId: 1, metadata: 'x' },
    });
    expect(status).toBe(400);
    expect(body.details.map(({ field }) => field).sort()).toEqual(
      ['bcc', 'campaignId', 'cc', 'from', 'htmlContent', 'metadata', 'replyTo', 'subject', 'to'].sort(),
    );
  });

  it.each([
    ['from', { from: 'Jörg <jörg@acme.example>' }],
    ['replyTo', { replyTo: 'jörg@acme.example' }],
    ['bcc.1', { bcc: ['a@b.example', 'jörg@müller.example'] }],
  ])('%s with letters beyond ASCII before the @', async (field, changes) => {
    const { status, body } = await client.post('/api/send', { ...email, ...changes });
    const message = `${field} must have only ASCII characters before the @`;
    expect({ status, body }).toMatchObject({ status: 400, body: { error: message, details: [{ field, message }] } });
  });

  it('invalid JSON', async () => {
    const response: ApiResponse<unknown> = await client.post('/api/send', '{"from":');
    expect(response).toMatchObject({ status: 400, body: { error: 'The body is not valid JSON: it ends too early' } });
  });
});
