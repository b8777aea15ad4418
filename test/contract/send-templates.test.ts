import { jest } from '@jest/globals';
import { simpleParser, type ParsedMail } from 'mailparser';
import { Pool } from 'pg';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;
let templateId: string;

beforeAll(async () => {
  service = await TestService.start({ environment: AWAIT_RESULT });
  client = await service.organization();
  const { body } = await client.post('/api/templates', {
    name: 'Sale',
    subject: 'For {{ name }}',
    htmlContent:
      '<body><p>Hello {{ name }}</p><a href="https://shop.example/?q={{ code }}">Shop</a>' +
      '<a href="{{ unsubscribe_url }}">Unsubscribe</a></body>',
  });
  templateId = String(body.id);
});
afterAll(() => service?.stop());

const envelope = { from: 'Acme News <news@acme.example>', to: 'reader@example.com' };
const variables = { name: '<Ada>', code: 'a&b' };

async function send(fields: object): Promise<{ response: SendResponse; message: ParsedMail }> {
  const { status, body: response } = await client.post<SendResponse>('/api/send', { ...envelope, ...fields });
  expect([status, response]).toEqual([200, expect.anything()]);
  for (const { content } of service.mailServer.messages) {
    const message = await simpleParser(content);
    if (message.html && message.html.includes(response.pixelUrl)) return { response, message };
  }
  throw new Error('The mail server has no message with this pixel');
}

it('sends a template, escaped in HTML, with tracked links and the unsubscribe address', async () => {
  const { response, message } = await send({ templateId, variables, unsubscribe: true });
  expect(response.subject).toBe('For <Ada>');
  expect(message.subject).toBe('For <Ada>');
  expect(message.html).toContain('<p>Hello &lt;Ada&gt;</p>');
  expect(message.text).toContain('Hello <Ada>');
  expect(response.links.map(({ originalUrl }) => originalUrl)).toEqual(['https://shop.example/?q=a%26b']);
  expect(message.html).toMatch(/<a href="http:\/\/track\.test\/api\/t\/u\/[\w-]+">Unsubscribe<\/a>/);
});

it('reads a template once for messages of a batch that follow each other', async () => {
  const other = { name: 'Other', subject: 'Other', htmlContent: '<p>x</p>' };
  const { body: stored } = await client.post<{ id: string }>('/api/templates', other);
  const templates = [templateId, templateId, stored.id, stored.id, stored.id, templateId];
  const emails = templates.map((id) => ({ ...envelope, templateId: id, variables }));
  const statements = jest.spyOn(Pool.prototype, 'query');
  const { status, body } = await client.post<{ emails: { id: string }[] }>('/api/send/batch', { emails });
  const texts = statements.mock.calls.map(([text]) => String(text));
  statements.mockRestore();
  expect(status).toBe(202);
  expect(texts.filter((text) => text.includes('template_versions'))).toHaveLength(3);
  const subjects = body.emails.map(async ({ id }) => (await client.get<EmailDetail>(`/api/emails/${id}`)).body.subject);
  expect(await Promise.all(subjects)).toEqual(templates.map((id) => (id === templateId ? 'For <Ada>' : 'Other')));
});

it.each([[{ subject: 'Stop: {{ unsubscribe_url }}', variables }], [{ subject: 'Stop: {{unsubscribe_url}}' }]])(
  'refuses the address of the unsubscribe page in the subject: %j',
  async (fields) => {
    const email = { ...envelope, htmlContent: '<p>x</p>', ...fields, unsubscribe: true };
    const { status, body } = await client.post('/api/send', email);
    expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ field: 'subject' }] } });
  },
);

it('leaves a variable of that name to the sender without the page', async () => {
  const own = { subject: 'See {{ unsubscribe_url }}', htmlContent: '<p>x</p>', variables: { unsubscribe_url: 'acme' } };
  expect((await send(own)).response.subject).toBe('See acme');
});

it('renders variables into the content of the request, which overrides that of a template', async () => {
  const own = { subject: 'Dear {{ name }}', htmlContent: '<b>{{ name }}</b>', textContent: 'To {{ name }}' };
  const { message } = await send({ ...own, variables });
  expect(message.subject).toBe('Dear <Ada>');
  expect(message.html).toContain('<b>&lt;Ada&gt;</b>');
  expect(message.text?.trim()).toBe('To <Ada>');
  const mixed = await send({ templateId, variables, subject: 'Dear {{ name }}' });
  expect(mixed.message.subject).toBe('Dear <Ada>');
  expect(mixed.message.html).toContain('<p>Hello &lt;Ada&gt;</p>');
});

it('allows a subject of 998 characters that a template makes, as without a template', async () => {
  const { message } = await send({
    subject: '{{ name }}',
    htmlContent: '<p>x</p>',
    variables: { name: '🙂'.repeat(998) },
  });
  expect(message.subject).toBe('🙂'.repeat(998));
});

it('does not interpret the content without variables', async () => {
  const { message } = await send({ subject: '{{ name }}', htmlContent: '<b>{{ name }} {% if %}</b>' });
  expect(message.subject).toBe('{{ name }}');
  expect(message.html).toContain('<b>{{ name }} {% if %}</b>');
});

it('an email in progress keeps the version of the template that it was created with, and so does a sent one', async () => {
  const own = { name: 'Sale', subject: 'First {{ name }}', htmlContent: '<p>First</p>' };
  const { body } = await client.post('/api/templates', own);
  const message = { ...envelope, templateId: String(body.id), variables };
  const later = { ...message, sendAt: new Date(Date.now() + 3_600_000).toISOString() };
  const [before, waiting] = [
    await client.post<SendResponse>('/api/send', message),
    await client.post('/api/send', later),
  ];
  const read = async (email: unknown) => (await client.get<EmailDetail>(`/api/emails/${String(email)}`)).body;
  const seen = await read(before.body.emailTrackingId);
  const change = (path: string, method: string, content: object) =>
    client.request(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) });
  const next = { ...own, subject: 'Second', htmlContent: '<p>Second</p>' };
  expect((await change(`/api/templates/${String(body.id)}`, 'PUT', next)).status).toBe(200);
  expect((await client.delete(`/api/templates/${String(body.id)}`)).status).toBe(204);
  expect(await read(before.body.emailTrackingId)).toEqual(seen);
  const id = waiting.body.emailTrackingId;
  await change(`/api/emails/${String(id)}`, 'PATCH', { sendAt: new Date(0).toISOString() });
  const email = await eventually(async () => {
    const found = await read(id);
    return found.status === 'sent' && found;
  });
  const [arrived] = service.mailServer.messages.filter(({ emailId }) => emailId === email.id);
  const { subject, html } = await simpleParser(arrived!.content);
  expect({ subject, html }).toEqual({ subject: 'First <Ada>', html: expect.stringContaining('<p>First</p>') });
});

it.each([
  [
    'an unknown variable in strict mode',
    () => ({ templateId, variables: { name: 'A' }, strict: true }),
    'variables has no code, which htmlContent uses',
  ],
  ['an unknown template', () => ({ templateId: 'x' }), 'templateId names no template of your organization'],
  ['a subject that becomes empty', () => ({ templateId, subject: '{{ x }}' }), 'subject is empty with these variables'],
  [
    'HTML that becomes empty',
    () => ({ templateId, htmlContent: '{{ x }}' }),
    'htmlContent is empty with these variables',
  ],
  [
    'a subject that becomes too long',
    () => ({ templateId, variables: { name: 'x'.repeat(1000) } }),
    'subject has more than 998 characters with these variables',
  ],
  [
    'a subject with an encoded word',
    () => ({ templateId, variables: { name: '=?utf-8?q?x?=' } }),
    'subject must be the text itself, not an encoded word (=?charset?q?…?=)',
  ],
  [
    'HTML that does not parse',
    () => ({ subject: 's', htmlContent: '<p>\n{% if %}', variables }),
    /^htmlContent is not a valid template: line 2, column 6: /,
  ],
  [
    'two values in a row',
    () => ({ subject: 'Dear {{ First Name }}', htmlContent: '<p>x</p>', variables }),
    /^subject is not a valid template: line 1, column 6: two values in a row/,
  ],
  [
    'neither subject nor template',
    () => ({ htmlContent: 'x', variables }),
    'subject is required and must be a string, unless templateId is given',
  ],
  [
    'neither HTML nor text nor template',
    () => ({ subject: 'x', variables }),
    'htmlContent is required and must be a string, unless textContent or templateId is given',
  ],
  ['variables that are no object', () => ({ templateId, variables: [] }), 'variables must be a JSON object'],
  [
    'too many variables',
    () => ({ templateId, variables: { x: 'x'.repeat(250_000) } }),
    /^variables must have at most 250000 bytes/,
  ],
] as const)('refuses %s', async (_name, fields, error) => {
  const { status, body } = await client.post('/api/send', { ...envelope, ...fields() });
  expect([status, body.error]).toEqual([400, typeof error === 'string' ? error : expect.stringMatching(error)]);
});

it('removes line breaks from a subject', async () => {
  const { message } = await send({ templateId, variables: { name: 'Ada\r\nBcc: other@example.com' } });
  expect(message.subject).toBe('For Ada Bcc: other@example.com');
  expect(message.bcc).toBeUndefined();
});

it('replaces NUL characters that a template creates', async () => {
  const nul = '{{ "\\u0000" }}{{ "%00" | url_decode }}';
  const { message } = await send({
    subject: `a${nul}b`,
    htmlContent: `<p>a${nul}b</p>`,
    textContent: `a${nul}b`,
    variables,
  });
  expect([message.subject, message.text?.trim()]).toEqual(['a\ufffd\ufffdb', 'a\ufffd\ufffdb']);
  expect(message.html).toContain('<p>a\ufffd\ufffdb</p>');
});
