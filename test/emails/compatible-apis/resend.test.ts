import { Resend, type CreateEmailOptions } from 'resend';
import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import { eventually } from '../../support/eventually.js';
import { TestService, type TestClient } from '../../support/service.js';
import { countEmails } from './count-emails.js';

let service: TestService;
let client: TestClient;
let resend: Resend;

beforeAll(async () => {
  service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
});
beforeEach(async () => {
  client = await service.organization();
  resend = libraryWith(client.apiKey);
});
afterAll(() => service?.stop());

const libraryWith = (apiKey: string): Resend => new Resend(apiKey, { baseUrl: service.address });

const message = (fields: object = {}): CreateEmailOptions => ({
  ...{ from: 'Ada <ada@acme.example>', to: 'reader@example.com', subject: 'The engine' },
  html: '<p><a href="https://example.com/a">a</a></p>',
  ...fields,
});

const detail = async (id: string): Promise<EmailDetail> => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;

async function send(fields: object = {}): Promise<EmailDetail> {
  const { data, error } = await resend.emails.send(message(fields));
  expect(error).toBeNull();
  return detail(data!.id);
}

describe("Resend's library", () => {
  it('sends an email with all its fields', async () => {
    const email = await send({
      ...{ to: ['One <one@example.com>', 'two@example.com'], cc: 'cc@example.com', bcc: ['bcc@example.com'] },
      ...{ replyTo: ['help@acme.example'], text: 'The text', headers: { 'X-Order': '7' } },
      tags: [{ name: 'plan', value: 'pro' }],
      attachments: [
        { filename: 'a.txt', content: Buffer.from('Hello') },
        { filename: 'b.png', content: 'SGVsbG8=', contentType: 'image/png', contentId: 'logo' },
      ],
    });
    expect(email).toMatchObject({
      ...{ to: ['one@example.com', 'two@example.com'], cc: ['cc@example.com'], bcc: ['bcc@example.com'] },
      ...{
        replyTo: 'help@acme.example',
        subject: 'The engine',
        headers: { 'X-Order': '7' },
        metadata: { plan: 'pro' },
      },
      attachments: [
        { filename: 'a.txt', size: 5 },
        { filename: 'b.png', contentType: 'image/png', contentId: 'logo' },
      ],
    });
    const sent = await eventually(async () => {
      const now = await detail(email.id);
      return now.status === 'sent' && now;
    });
    expect(sent.links).toMatchObject([{ originalUrl: 'https://example.com/a' }]);
  });

  it('sends later, and with a template', async () => {
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
    expect(await send({ scheduledAt })).toMatchObject({ status: 'scheduled', sendAt: scheduledAt });
    const { body: template } = await client.post<{ id: string }>('/api/templates', {
      ...{ name: 'Plan', subject: 'Your {{ plan }} plan', htmlContent: '<p>Hello</p>' },
    });
    const templated = {
      template: { id: template.id, variables: { plan: 'pro' } },
      html: undefined,
      subject: undefined,
    };
    expect(await send(templated)).toMatchObject({ subject: 'Your pro plan' });
  });

  it('sends one email for repeated requests with an idempotency key', async () => {
    const one = await resend.emails.send(message(), { idempotencyKey: 'order-7' });
    expect((await resend.emails.send(message(), { idempotencyKey: 'order-7' })).data).toEqual(one.data);
    const other = await resend.emails.send(message({ subject: 'Other' }), { idempotencyKey: 'order-7' });
    expect(other.error).toMatchObject({ statusCode: 422, name: 'invalid_idempotent_request' });
    const batch = [message({ to: 'a@example.com' }), message({ to: 'b@example.com' })];
    const first = await resend.batch.send(batch, { idempotencyKey: 'orders' });
    expect((await resend.batch.send(batch, { idempotencyKey: 'orders' })).data).toEqual(first.data);
    expect(await countEmails(client)).toBe(3);
  });

  it('sends a batch, and returns the IDs in order', async () => {
    const { data, error } = await resend.batch.send([
      message({ to: 'a@example.com' }),
      message({ to: 'b@example.com' }),
    ]);
    expect(error).toBeNull();
    const emails = await Promise.all(data!.data.map(({ id }) => detail(id)));
    expect(emails.map(({ to }) => to)).toEqual([['a@example.com'], ['b@example.com']]);
  });

  it('refuses a batch for one bad email, unless validation is permissive', async () => {
    await client.post('/api/suppressions', { address: 'suppressed@example.com' });
    const bad = [
      message(),
      message({ to: 'nobody' }),
      message({ topicId: 't' }),
      message({ to: 'suppressed@example.com' }),
    ];
    const refusals = await Promise.all(bad.slice(1).map((one) => resend.batch.send([message(), one])));
    expect(refusals.map(({ error }) => error)).toMatchObject([
      { statusCode: 400, name: 'validation_error', message: expect.stringMatching(/^1\.to must be/) },
      { statusCode: 400, message: '1.topic_id is not supported' },
      { statusCode: 422, message: expect.stringMatching(/suppressed@example.com is suppressed/) },
    ]);
    expect(await countEmails(client)).toBe(0);
    const { data } = await resend.batch.send(bad, { batchValidation: 'permissive' });
    expect(data).toEqual({
      data: [{ id: expect.any(String) }],
      errors: [
        { index: 1, message: expect.stringMatching(/^to must be/) },
        { index: 2, message: 'topic_id is not supported' },
        { index: 3, message: expect.stringMatching(/suppressed@example.com is suppressed/) },
      ],
    });
    expect(await countEmails(client)).toBe(1);
  });

  it('reports the only email of a permissive batch, as it reports one of several', async () => {
    await client.post('/api/suppressions', { address: 'suppressed@example.com' });
    const sendAlone = async (fields: object = {}): Promise<unknown> => {
      return (await resend.batch.send([message(fields)], { batchValidation: 'permissive' })).data;
    };
    expect(await sendAlone({ to: 'nobody' })).toEqual({
      data: [],
      errors: [{ index: 0, message: expect.stringMatching(/^to must be/) }],
    });
    expect(await sendAlone({ to: 'suppressed@example.com' })).toEqual({
      data: [],
      errors: [{ index: 0, message: expect.stringMatching(/suppressed@example.com is suppressed/) }],
    });
    expect(await countEmails(client)).toBe(0);
    expect(await sendAlone()).toEqual({ data: [{ id: expect.any(String) }], errors: [] });
  });
});

describe('the refusal of a field', () => {
  it.each([
    [{ topicId: 't' }, 'topic_id is not supported'],
    [{ scheduledAt: 'in 1 min' }, /^scheduled_at must be/],
    [{ replyTo: ['a@example.com', 'b@example.com'] }, 'reply_to must be one address'],
    [{ to: 'nobody' }, /^to must be one email address/],
    [{ html: '' }, 'html must not be empty'],
    [{ html: undefined }, /^html is required and must be a string, unless text or template\.id is given$/],
    [
      { attachments: [{ filename: 'a.txt', path: 'https://example.com/a.txt' }] },
      'attachments.0.path is not supported',
    ],
    [{ attachments: [{ filename: 'a', content: 'QQ==', contentType: 'x' }] }, /^attachments\.0\.content_type must/],
    [
      {
        tags: [
          { name: 'a', value: '1' },
          { name: 'a', value: '2' },
        ],
      },
      'tags must have each name once',
    ],
    [{ headers: { Sender: 'x' } }, /^headers\.Sender/],
    [{ template: { id: 'unknown' }, html: undefined }, 'template.id names no template of your organization'],
    [{ template: { id: 'any' } }, 'html must be absent beside template'],
    [{ template: { id: 'any' }, html: undefined, text: 'x' }, 'text must be absent beside template'],
  ])('names it: %j', async (fields, text) => {
    const { error } = await resend.emails.send(message(fields));
    const message_ = typeof text === 'string' ? text : expect.stringMatching(text);
    expect(error).toEqual({ statusCode: 400, name: 'validation_error', message: message_ });
    expect(await countEmails(client)).toBe(0);
  });

  it('has the form of Resend for a wrong key, a key without the scope, and another body than an array', async () => {
    expect((await libraryWith('re_wrong').emails.send(message())).error).toMatchObject({
      ...{ statusCode: 401, name: 'invalid_api_key' },
    });
    const { body: reader } = await client.post<{ key: string }>('/api/keys', { name: 'r', scopes: ['read'] });
    expect((await libraryWith(reader.key).emails.send(message())).error).toMatchObject({
      ...{ statusCode: 403, name: 'restricted_api_key' },
    });
    for (const body of [{}, [], null, 'x', Array(101).fill(message())]) {
      const { error } = await resend.post('/emails/batch', body);
      expect(error).toMatchObject({ statusCode: 400, name: 'validation_error' });
    }
  });

  it('has the form of Resend for the routes that we do not have', async () => {
    const responses = await Promise.all([
      resend.emails.get('id'),
      resend.emails.update({ id: 'id', scheduledAt: '2026-03-01T09:30:00Z' }),
      resend.emails.cancel('id'),
      resend.domains.list(),
      resend.apiKeys.list(),
    ]);
    const notFound = { statusCode: 404, name: 'not_found', message: 'Not found: no route has this method and path' };
    expect(responses.map(({ error }) => error)).toEqual(responses.map(() => notFound));
  });

  it('takes no session and no key in another header', async () => {
    const { status, headers, body } = await client.post('/emails', message());
    expect([status, headers.get('cache-control')]).toEqual([401, 'no-store']);
    expect(headers.get('www-authenticate')).toBe('Bearer realm="Mailbeacon"');
    const wrong = await client.post('/emails', message(), { authorization: 'Bearer re_wrong' });
    expect(wrong.headers.get('www-authenticate')).toBe('Bearer realm="Mailbeacon", error="invalid_token"');
    expect(body).toMatchObject({ message: expect.stringContaining('in the header Authorization, after Bearer') });
  });
});
