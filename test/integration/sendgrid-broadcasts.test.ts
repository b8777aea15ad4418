import type { UploadResult } from '../../src/broadcasts/recipients/recipient-upload.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { BroadcastClient, draft, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { sendGridError, SendGridStub, type SendGridRequest } from '../support/sendgrid-stub.js';
import { TestService, type TestClient } from '../support/service.js';
import { throughSendGrid } from '../support/through-sendgrid.js';

const RESEND_AFTER_MS = 500;

let sendGrid: SendGridStub;
let service: TestService;
let client: TestClient;
let broadcasts: BroadcastClient;

beforeAll(async () => {
  sendGrid = await SendGridStub.listen();
  service = await TestService.start({
    environment: {
      ...throughSendGrid(sendGrid),
      RATE_LIMIT_PER_MINUTE: '0',
      AMBIGUOUS_RESEND_AFTER_MS: String(RESEND_AFTER_MS),
    },
  });
});
beforeEach(async () => {
  sendGrid.scripts.clear();
  sendGrid.requests.length = 0;
  client = await service.organization();
  broadcasts = new BroadcastClient(client);
});
afterAll(async () => {
  await service?.stop();
  await sendGrid?.close();
});

async function send(recipients: readonly object[], fields: object = {}): Promise<string> {
  const id = await broadcasts.create(fields);
  await broadcasts.add(id, recipients);
  expect(await broadcasts.move(id, 'send')).toEqual({ status: 200, is: 'sending' });
  return id;
}

const addressOf = ({ body }: SendGridRequest) => body.personalizations[0]!.to![0]!.email;
/** Number of emails in each request. */
const sizes = () => {
  const calls = new Map<number, number>();
  for (const { call } of sendGrid.requests) calls.set(call, (calls.get(call) ?? 0) + 1);
  return [...calls.values()];
};

/** The text that a recipient reads: SendGrid replaces each placeholder with its text. */
function received({ body }: SendGridRequest): string {
  const { substitutions = {} } = body.personalizations[0]!;
  const html = body.content.find(({ type }) => type === 'text/html')!.value;
  return Object.entries(substitutions).reduce((mail, [name, text]) => mail.replaceAll(name, text), html);
}

it('a CSV of 300 addresses becomes 300 different emails, each sent once', async () => {
  const readers = Array.from({ length: 300 }, (_, n) => ({ to: `csv${n}@example.com`, name: `Reader ${n}.` }));
  const id = await broadcasts.create({
    htmlContent: '<body>Dear {{ name }} <a href="https://shop.example/">shop</a></body>',
  });
  const upload = await client.request<UploadResult>(`/api/broadcasts/${id}/recipients`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: ['to,name', ...readers.map(({ to, name }) => `${to},${name}`), 'CSV7@example.com,Nobody', 'x,y'].join('\n'),
  });
  expect(upload.body).toMatchObject({ added: 300, repeated: 1, invalidTotal: 1 });
  await broadcasts.move(id, 'send');
  await eventually(async () => (await broadcasts.read(id)).status === 'sent', 60_000);
  expect(await broadcasts.read(id)).toMatchObject({ progress: { total: 300, sent: 300 } });
  const mails = new Map(sendGrid.messages.map((message) => [addressOf(message), received(message)]));
  expect(sendGrid.messages).toHaveLength(300);
  expect([...mails.keys()].sort()).toEqual(readers.map(({ to }) => to).sort());
  expect(readers.filter(({ to, name }) => !mails.get(to)!.includes(`Dear ${name} `))).toEqual([]);
  expect(new Set(mails.values()).size).toBe(300);
});

describe('a broadcast through SendGrid', () => {
  it('is sent in few calls, and every recipient gets an email of their own', async () => {
    const names = people(120).map(({ to }, n) => ({ to, variables: { name: `<Reader ${n}>`, page: `p${n}` } }));
    const id = await send(names, {
      subject: 'For {{ name }}',
      htmlContent:
        '<body>Dear {{ name }}, <a href="https://shop.example/?a=1&amp;b=2">shop</a> <a href="https://shop.example/{{ page }}">you</a> <a href="{{unsubscribe_url}}">off</a></body>',
    });
    expect(await broadcasts.settled(id, 'sent')).toMatchObject({ progress: { total: 120, sent: 120 } });
    expect(sendGrid.messages.map(addressOf).sort()).toEqual(names.map(({ to }) => to).sort());
    expect(Math.max(...sizes())).toBeLessThanOrEqual(50);
    expect(sizes().length).toBeLessThan(20);
    const request = sendGrid.messages.find((one) => addressOf(one) === 'reader7@example.com')!;
    const { body: email } = await client.get<EmailDetail>(`/api/emails/${request.emailId}`);
    const html = request.body.content.find(({ type }) => type === 'text/html')!.value;
    expect(email).toMatchObject({ status: 'sent', attempts: 1, providerId: request.providerId });
    expect(email.links.map(({ originalUrl }) => originalUrl)).toEqual([
      'https://shop.example/?a=1&b=2',
      'https://shop.example/p7',
    ]);
    for (const { trackingUrl } of email.links) expect(html).toContain(`href="${trackingUrl}"`);
    expect(html).toContain('Dear &lt;Reader 7&gt;,');
    expect(html).toContain(`/api/t/o/${email.trackingId}"`);
    expect(request.body.subject).toBe('For <Reader 7>');
    expect(request.body.headers).toMatchObject({
      'Message-ID': expect.stringContaining(email.id),
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    const [, page] = /^<(.*)>$/.exec(request.body.headers!['List-Unsubscribe']!)!;
    expect(html).toContain(`href="${page}"`);
  });

  it('reaches every recipient except the one that SendGrid refuses', async () => {
    sendGrid.scripts.add('reader5@example.com', sendGridError(400, 'Does not contain a valid address.', 'to'));
    const id = await send(people(30));
    const { progress } = await broadcasts.settled(id, 'sent');
    expect(progress).toMatchObject({ sent: 29, failed: 1 });
    const reached = sendGrid.messages.map(addressOf);
    expect(reached.sort()).toEqual(
      people(30)
        .map(({ to }) => to)
        .filter((to) => to !== 'reader5@example.com')
        .sort(),
    );
    const refused = sendGrid.requests.findLast((one) => addressOf(one) === 'reader5@example.com')!;
    const { body: email } = await client.get<EmailDetail>(`/api/emails/${refused.emailId}`);
    expect(email).toMatchObject({
      status: 'failed',
      attempts: 1,
      lastError: expect.stringContaining('valid address'),
    });
  });

  it('flags the emails of a call that got no response, and no others', async () => {
    sendGrid.scripts.add('reader5@example.com', { fault: 'reset', accepts: true }, 1);
    const id = await send(people(120));
    expect(await broadcasts.settled(id, 'sent')).toMatchObject({ progress: { sent: 120 } });
    const rows = await service.database.query<{ possible_duplicate: boolean; attempts: number; id: string }>(
      'select id, possible_duplicate, attempts from emails where broadcast_id = $1',
      [id],
    );
    const lost = sendGrid.requests.find((one) => addressOf(one) === 'reader5@example.com')!;
    const inDoubt = sendGrid.requests.filter(({ call }) => call === lost.call).map(({ emailId }) => emailId);
    const flagged = rows.filter(({ possible_duplicate }) => possible_duplicate);
    expect(flagged.map((row) => row.id).sort()).toEqual(inDoubt.sort());
    expect(inDoubt.length).toBeLessThanOrEqual(50);
    expect(sendGrid.messages).toHaveLength(120 + inDoubt.length);
  });

  it('reaches every recipient except the one whose emails always get a 500', async () => {
    sendGrid.scripts.add('reader5@example.com', sendGridError(500, 'Internal error'));
    const id = await send(people(20));
    const broadcast = await eventually(async () => {
      const { status, progress } = await broadcasts.read(id);
      return status === 'sent' && progress.queued === 0 && progress;
    });
    expect(broadcast).toMatchObject({ sent: 19, failed: 1 });
    const others = sendGrid.messages.map(addressOf).sort();
    expect(others).toEqual(
      people(20)
        .map(({ to }) => to)
        .filter((to) => to !== 'reader5@example.com')
        .sort(),
    );
  });

  it('waits as long as a 429 requests, and counts no attempt', async () => {
    sendGrid.scripts.add('*', { status: 429, headers: { 'retry-after': '1' }, body: { errors: [] } }, 1);
    const id = await send(people(20));
    expect(await broadcasts.settled(id, 'sent')).toMatchObject({ progress: { sent: 20 } });
    expect(new Set(sendGrid.messages.map(({ attempt }) => attempt))).toEqual(new Set([1]));
  });

  it('leaves out recipients who are suppressed when the emails are claimed', async () => {
    let respond!: () => void;
    const after = new Promise<void>((resolve) => (respond = resolve));
    sendGrid.scripts.add('*', { status: 503, body: { errors: [] }, after }, 1);
    const id = await send(people(20));
    await eventually(() => sendGrid.requests.length > 0);
    await client.post('/api/suppressions', { address: 'reader3@example.com' });
    respond();
    expect((await broadcasts.settled(id, 'sent')).progress).toMatchObject({ sent: 19, suppressed: 1 });
    expect(sendGrid.messages.map(addressOf)).not.toContain('reader3@example.com');
  });

  it('sends emails one by one if substitutions cannot express the message', async () => {
    const id = await send(people(12), { htmlContent: `${draft.htmlContent}{% if to %}x{% endif %}` });
    expect(await broadcasts.settled(id, 'sent')).toMatchObject({ progress: { sent: 12 } });
    expect(sizes()).toEqual(Array(12).fill(1));
    expect(sendGrid.requests.every(({ body }) => body.personalizations[0]!.substitutions === undefined)).toBe(true);
  });

  it('sends emails with headers and attachments one by one', async () => {
    const attachments = [{ filename: 'a.txt', content: 'SGVsbG8=' }];
    const id = await send(people(3), { headers: { 'X-Order': '7' }, attachments });
    expect(await broadcasts.settled(id, 'sent')).toMatchObject({ progress: { sent: 3 } });
    expect(sizes()).toEqual([1, 1, 1]);
    for (const { body } of sendGrid.requests) {
      expect(body).toMatchObject({ headers: { 'X-Order': '7' }, attachments });
      expect(body.headers).toHaveProperty('List-Unsubscribe');
    }
  });

  it('sends an email that is too long for substitutions alone, and the others together', async () => {
    const recipients = people(10).map(({ to }, n) => ({
      to,
      variables: { note: n === 4 ? 'x'.repeat(6_000) : 'short' },
    }));
    const id = await send(recipients, { htmlContent: `<body><p>{{ note }}</p>${draft.htmlContent}` });
    expect(await broadcasts.settled(id, 'sent')).toMatchObject({ progress: { sent: 10 } });
    const long = sendGrid.messages.find((one) => addressOf(one) === 'reader4@example.com')!;
    expect(long.body.personalizations[0]!.substitutions).toBeUndefined();
    expect(sizes()).toContain(9);
  });
});
