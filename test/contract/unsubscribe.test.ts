import { simpleParser, type ParsedMail } from 'mailparser';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: AWAIT_RESULT });
  client = await service.organization();
});
afterAll(() => service?.stop());

const email = {
  from: 'Acme News <news@acme.example>',
  to: 'reader@example.com',
  subject: 'The sale',
  htmlContent: '<body><a href="https://shop.example/">Shop</a> <a href="{{unsubscribe_url}}">Unsubscribe</a></body>',
};
const PAGE = /^http:\/\/track\.test\/api\/t\/u\/[\w-]+$/;

interface Sent {
  readonly response: SendResponse;
  readonly message: ParsedMail;
  /** The address in the List-Unsubscribe header. */
  readonly address: string | undefined;
}

async function send(fields: object): Promise<Sent> {
  const { status, body: response } = await client.post<SendResponse>('/api/send', { ...email, ...fields });
  expect(status).toBe(200);
  for (const { content } of service.mailServer.messages) {
    const message = await simpleParser(content);
    if (!message.html || !message.html.includes(response.pixelUrl)) continue;
    const list = message.headers.get('list') as { unsubscribe?: { url: string } } | undefined;
    return { response, message, address: list?.unsubscribe?.url };
  }
  throw new Error('The mail server has no message with this pixel');
}

describe('an email with `unsubscribe: true`', () => {
  it('has both headers, and the untracked address in HTML and text', async () => {
    const { response, message, address } = await send({ unsubscribe: true });
    expect(address).toMatch(PAGE);
    const post = message.headerLines.find(({ key }) => key === 'list-unsubscribe-post');
    expect(post?.line).toBe('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(message.html).toContain(`<a href="${address}">Unsubscribe</a>`);
    expect(message.text).toMatch(/Unsubscribe\s+<http/);
    expect(message.text).toContain(`<${address}>`);
    expect(response.links.map(({ originalUrl }) => originalUrl)).toEqual(['https://shop.example/']);
    const [row] = await service.database.query<{ unsubscribe: boolean }>(
      'select unsubscribe from emails where tracking_id = $1',
      [response.emailTrackingId],
    );
    expect(row).toEqual({ unsubscribe: true });
  });

  it('has only the headers if the HTML has no placeholder for the address', async () => {
    const { message, address } = await send({ unsubscribe: true, htmlContent: '<p>Sale</p>' });
    expect(address).toMatch(PAGE);
    expect(`${String(message.html)}${message.text}`).not.toContain('/api/t/u/');
  });

  it.each([
    ['HTML too long for the event loop', `<p>${'x'.repeat(5_000)}</p><a href="{{unsubscribe_url}}">Stop</a>`],
    [
      'MJML',
      '<mjml><mj-body><mj-section><mj-column><mj-button href="{{unsubscribe_url}}">Stop</mj-button></mj-column></mj-section></mj-body></mjml>',
    ],
  ])('has its address in %s', async (_, htmlContent) => {
    const { message, address } = await send({ unsubscribe: true, htmlContent });
    expect(message.html).toContain(`href="${address}"`);
    expect(message.html).not.toContain('unsubscribe_url');
  });

  it('links to a page that shows the sender and the address, and unsubscribes by POST', async () => {
    const { address } = await send({ unsubscribe: true, to: 'Jane <jane.doe@example.com>' });
    const shown = await service.track(address!);
    const html = await shown.text();
    expect(shown.status).toBe(200);
    expect(html).toContain('Acme News');
    expect(html).toContain('@platform.test');
    expect(html).toContain('ja…@example.com');
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    const done = await service.track(address!, { method: 'POST', body });
    expect(done.status).toBe(200);
    expect(await done.text()).toContain('You are unsubscribed');
    expect((await service.track(`${address!.slice(0, -1)}.`)).status).toBe(404);
  });

  it.each([
    ['two in to', { to: ['a@example.com', 'b@example.com'] }],
    ['one in cc', { cc: 'b@example.com' }],
    ['one in bcc', { bcc: ['b@example.com'] }],
  ])('needs exactly one recipient: %s is 400', async (_, fields) => {
    const { status, body } = await client.post('/api/send', { ...email, ...fields, unsubscribe: true });
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ field: 'unsubscribe' }] });
  });

  it('may name its one recipient more than once', async () => {
    const to = ['reader@example.com', 'READER@example.com'];
    expect((await send({ unsubscribe: true, to, cc: 'reader@example.com' })).address).toMatch(PAGE);
  });
});

describe('an email without it', () => {
  it.each([{}, { unsubscribe: false }, { unsubscribe: null }])(
    '%j has no header, and braces stay braces',
    async (more) => {
      const { message, address } = await send({ ...more, cc: 'other@example.com' });
      expect(address).toBeUndefined();
      expect(message.headerLines.map(({ key }) => key)).not.toContain('list-unsubscribe-post');
      expect(message.html).toContain('{{unsubscribe_url}}');
    },
  );
});

it.each(['true', 1, [], {}])('unsubscribe: %j is 400', async (unsubscribe) => {
  const { status, body } = await client.post('/api/send', { ...email, unsubscribe });
  expect(status).toBe(400);
  expect(body).toMatchObject({ details: [{ field: 'unsubscribe', message: 'unsubscribe must be true or false' }] });
});
