import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import { TestService, type ApiResponse, type TestClient } from '../../support/service.js';

/* Bodies as the libraries for other languages than JavaScript write them. */

const MAIL = {
  from: 'Ada <ada@acme.example>',
  to: ['reader@example.com'],
  subject: 'The engine',
  html: '<p>Hello</p>',
};

let service: TestService;
let client: TestClient;
let templateId: string;

beforeAll(async () => {
  service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
  client = await service.organization();
  const template = { name: 'Plan', subject: 'Your plan', htmlContent: '<p>Hello {{ name }}</p>' };
  templateId = (await client.post<{ id: string }>('/api/templates', template)).body.id;
});
afterAll(() => service?.stop());

interface Sent {
  readonly id: string;
  readonly data: readonly { readonly id: string }[];
  readonly message?: string;
}

const post = (path: string, body: unknown): Promise<ApiResponse<Sent>> =>
  client.post(path, body, { authorization: `Bearer ${client.apiKey}` });

async function sendThroughResend(fields: object): Promise<EmailDetail> {
  const { status, body } = await post('/emails', { ...MAIL, ...fields });
  expect([status, body.message]).toEqual([200, undefined]);
  return (await client.get<EmailDetail>(`/api/emails/${body.id}`)).body;
}

describe("Resend's libraries", () => {
  it('for PHP write empty maps as empty lists, as Laravel does for every email without headers', async () => {
    const laravel = { cc: [], bcc: [], reply_to: [], headers: [], attachments: [], text: null };
    expect(await sendThroughResend(laravel)).toMatchObject({ headers: {}, subject: 'The engine' });
    const templated = { html: undefined, template: { id: templateId, variables: [] } };
    expect(await sendThroughResend(templated)).toMatchObject({ subject: 'The engine' });
    const { status, body } = await post('/emails/batch', [{ ...MAIL, ...laravel }]);
    expect([status, body.data]).toEqual([200, [{ id: expect.any(String) }]]);
  });

  it('for Go and Rust send an empty subject with a template, which then has its own', async () => {
    const templated = { html: undefined, subject: '', template: { id: templateId } };
    expect(await sendThroughResend(templated)).toMatchObject({ subject: 'Your plan' });
    const { status, body } = await post('/emails', { ...MAIL, subject: '' });
    expect([status, body.message]).toEqual([400, 'subject must not be empty']);
  });

  it('for Rust, and older ones for JavaScript, name the type of a file in camel case', async () => {
    const file = { filename: 'a.bin', content: [1, 2], contentType: 'application/pdf' };
    expect(await sendThroughResend({ attachments: [file] })).toMatchObject({
      attachments: [{ filename: 'a.bin', contentType: 'application/pdf' }],
    });
    const { status, body } = await post('/emails', { ...MAIL, attachments: [{ ...file, content_type: 'image/png' }] });
    expect([status, body.message]).toEqual([400, 'attachments.0.contentType must be the same as content_type']);
  });

  it.each([
    ['headers', ['a']],
    ['template.variables', ['a']],
  ])('send no other list as %s', async (field, value) => {
    const [outer, inner] = field.split('.') as [string, string?];
    const fields = inner ? { html: undefined, [outer]: { id: templateId, [inner]: value } } : { [outer]: value };
    const { status, body } = await post('/emails', { ...MAIL, ...fields });
    expect([status, body.message]).toEqual([400, `${field} must be a JSON object`]);
  });
});

it("SendGrid's body may have empty lists in place of empty maps, as PHP writes them", async () => {
  const mail = {
    personalizations: [{ to: [{ email: 'reader@example.com' }], headers: [], custom_args: [] }],
    ...{ from: { email: 'ada@acme.example' }, subject: 'The engine', headers: [], custom_args: [] },
    content: [{ type: 'text/plain', value: 'Hello' }],
  };
  expect((await post('/v3/mail/send', mail)).status).toBe(202);
});
