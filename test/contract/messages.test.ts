import { simpleParser, type ParsedMail } from 'mailparser';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import { AWAIT_RESULT, TestService, type ApiResponse, type TestClient } from '../support/service.js';

/* The fields of an email beside its HTML. */

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: AWAIT_RESULT });
  client = await service.organization();
});
afterAll(() => service?.stop());

const envelope = { from: 'Ada <ada@acme.example>', to: 'reader@example.com', subject: 'The engine' };
const htmlContent = '<body><a href="https://example.com/a">the link</a></body>';

async function sent(fields: object): Promise<{ response: SendResponse; message: ParsedMail; source: string }> {
  const { status, body: response } = await client.post<SendResponse>('/api/send', { ...envelope, ...fields });
  expect({ status, response }).toMatchObject({ status: 200 });
  const { content } = service.mailServer.messages.at(-1)!;
  return { response, message: await simpleParser(content, { skipTextToHtml: true }), source: content.toString() };
}

const detail = async ({ emailTrackingId }: SendResponse): Promise<EmailDetail> =>
  (await client.get<EmailDetail>(`/api/emails/${emailTrackingId}`)).body;

const refused = (fields: object): Promise<ApiResponse<{ error: string; details?: object[] }>> =>
  client.post('/api/send', { ...envelope, htmlContent, ...fields });

describe('textContent', () => {
  it('replaces the text that the service derives from the HTML, byte for byte', async () => {
    const textContent = 'Dear reader,\n\n  as it is: {{ name }}, https://example.com/a & "more" ü 🎉\n';
    const { message, response } = await sent({ htmlContent, textContent });
    expect(message.text!.trimEnd()).toBe(textContent.trimEnd());
    expect(response.links.map(({ originalUrl }) => originalUrl)).toEqual(['https://example.com/a']);
  });

  it('alone makes an email without HTML, pixel and tracked links', async () => {
    const { message, response, source } = await sent({ textContent: 'See https://example.com/a' });
    expect([message.html, message.text!.trimEnd()]).toEqual([false, 'See https://example.com/a']);
    expect(source).not.toContain('/api/t/');
    expect(source).not.toContain('multipart');
    expect(response.links).toEqual([]);
    expect(await detail(response)).toMatchObject({ status: 'sent', links: [], opens: 0 });
  });

  it('may contain a placeholder for the address of the unsubscribe page, which is not escaped', async () => {
    const textContent = 'Unsubscribe: {{unsubscribe_url}} or {{ unsubscribe_url }}';
    for (const fields of [{ textContent }, { textContent, htmlContent }]) {
      const { message } = await sent({ ...fields, unsubscribe: true });
      expect(message.text).toMatch(/^Unsubscribe: (http:\/\/track\.test\/api\/t\/u\/[\w-]+) or \1/);
    }
    expect((await sent({ textContent })).message.text).toContain('{{unsubscribe_url}}');
  });

  it.each([
    ['empty', { textContent: '' }, 'textContent'],
    ['no string', { textContent: 4 }, 'textContent'],
    ['over 1 MB', { textContent: 'é'.repeat(600_000) }, 'textContent'],
    ['with NUL', { textContent: 'a\0b' }, 'textContent'],
    ['absent like the HTML', { htmlContent: null, textContent: null }, 'htmlContent'],
    ['there, but the HTML is empty', { htmlContent: '', textContent: 'x' }, 'htmlContent'],
  ])('is refused when it is %s', async (_, fields, field) => {
    const { status, body } = await refused(fields);
    expect({ status, details: body.details }).toMatchObject({ status: 400, details: [{ field }] });
  });
});

describe('headers', () => {
  it('are added to the mail and shown with the email', async () => {
    const headers = { 'X-Order': '4711', References: '<a@example.com> <b@example.com>', precedence: 'bulk' };
    const { message, response } = await sent({ htmlContent, headers });
    expect(message.headers.get('x-order')).toBe('4711');
    expect(message.references).toEqual(['<a@example.com>', '<b@example.com>']);
    expect(message.headers.get('precedence')).toBe('bulk');
    expect((await detail(response)).headers).toEqual(headers);
  });

  it('may be twenty, including In-Reply-To and Auto-Submitted', async () => {
    const named = { 'In-Reply-To': '<first@example.com>', 'Auto-Submitted': 'auto-generated' };
    const others = Object.fromEntries(Array.from({ length: 18 }, (_, index) => [`X-${index}`, 'x'.repeat(900)]));
    const { message } = await sent({ htmlContent, headers: { ...named, ...others } });
    expect(message.inReplyTo).toBe('<first@example.com>');
    expect(message.headers.get('auto-submitted')).toBe('auto-generated');
    for (const [name, value] of Object.entries(others)) expect(message.headers.get(name.toLowerCase())).toBe(value);
  });

  it('are null if the request has none', async () => {
    expect((await detail((await sent({ htmlContent, headers: {} })).response)).headers).toBeNull();
  });

  it.each<[string, object]>([
    ...[
      'Bcc',
      'From',
      'Subject',
      'DKIM-Signature',
      'List-Unsubscribe',
      'Content-Type',
      'Message-ID',
      'X-',
      'X',
      '',
    ].map((name): [string, object] => [`the name ${name}`, { [name]: 'x' }]),
    ...['X-SMTPAPI', 'x-smtpapi', 'X-Mailbeacon-Id', 'X-SES-CONFIGURATION-SET', 'X-Mailgun-Tag', 'X-PM-Tag'].map(
      (name): [string, object] => [`the reserved name ${name}`, { [name]: 'x' }],
    ),
    ['a name with a line break', { 'X-A\r\nBcc': 'x' }],
    ['a name with a colon', { 'X-A: b': 'x' }],
    ['a name twice', { 'X-A': '1', 'x-a': '2' }],
    ['a line break', { 'X-A': 'a\r\nBcc: evil@example.com' }],
    ['other characters than ASCII', { 'X-A': 'ü' }],
    ['a number', { 'X-A': 4 }],
    ['an empty value', { 'X-A': ' ' }],
    ['a value of 901 characters', { 'X-A': 'x'.repeat(901) }],
    ['no message ID', { References: 'hello' }],
    ['21 headers', Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, 'x']))],
  ])('are refused with %s', async (_, headers) => {
    const { status, body } = await refused({ headers });
    expect({ status, details: body.details }).toMatchObject({
      status: 400,
      details: [{ field: expect.stringMatching(/^headers/) }],
    });
  });
});

describe('tags', () => {
  it('are returned with the email, without duplicates', async () => {
    const { response } = await sent({ htmlContent, tags: ['spring', 'A_b-9', 'spring'] });
    expect((await detail(response)).tags).toEqual(['spring', 'A_b-9']);
    const { body } = await client.get<{ emails: EmailSummary[] }>('/api/emails?limit=1');
    expect(body.emails[0]?.tags).toEqual(['spring', 'A_b-9']);
    expect((await detail((await sent({ htmlContent, tags: [] })).response)).tags).toEqual([]);
  });

  it('may be ten words of 1 to 64 characters', async () => {
    const tags = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(index === 9 ? 64 : 1));
    expect((await detail((await sent({ htmlContent, tags })).response)).tags).toEqual(tags);
  });

  it.each([
    ['eleven', Array.from({ length: 11 }, (_, index) => `t${index}`)],
    ['an empty one', ['']],
    ['a blank', ['a b']],
    ['65 characters', ['x'.repeat(65)]],
    ['no string', [7]],
    ['no list', 'spring'],
  ])('are refused with %s', async (_, tags) => {
    const { status, body } = await refused({ tags });
    expect({ status, details: body.details }).toMatchObject({ status: 400, details: [{ field: 'tags' }] });
    expect(body.error).toContain('must be an array of at most 10 words');
  });
});
