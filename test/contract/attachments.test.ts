import { randomBytes } from 'node:crypto';
import { simpleParser, type ParsedMail } from 'mailparser';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { AttachmentContents } from '../../src/emails/attachments/attachment-contents.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { testBudgets } from '../support/budgets.js';
import { IdempotentClient, isReplay } from '../support/idempotent-client.js';
import { sendMessage } from '../support/sent-message.js';
import { AWAIT_RESULT, TestService, type ApiResponse, type TestClient } from '../support/service.js';
import { countContents } from '../support/attachment-contents.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: AWAIT_RESULT });
});
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

const email = {
  from: 'Ada <ada@acme.example>',
  to: 'reader@example.com',
  subject: 'The engine',
  htmlContent: '<body><img src="cid:logo">Hello</body>',
};
const file = (bytes: Buffer, filename = 'file.bin'): object => ({ filename, content: bytes.toString('base64') });

async function sent(...attachments: object[]): Promise<{ response: SendResponse; message: ParsedMail }> {
  const { response, content } = await sentContent(...attachments);
  return { response, message: await simpleParser(content, { skipImageLinks: true }) };
}

async function sentContent(...attachments: object[]): Promise<{ response: SendResponse; content: Buffer }> {
  const { response, message } = await sendMessage(client, service.mailServer, { ...email, attachments });
  return { response, content: message.content };
}

/** The decoded attachments of a message, in a tenth of the time that a parser of mail takes for megabytes. */
function base64PartsOf(message: Buffer): Buffer[] {
  const parts = message.toString('latin1').split(/^--.*\r\n/m);
  return parts.flatMap((part) => {
    const end = part.indexOf('\r\n\r\n');
    const isAttachment = /^content-disposition: attachment/im.test(part.slice(0, end));
    return isAttachment ? Buffer.from(part.slice(end), 'base64') : [];
  });
}

describe('attachments', () => {
  it('arrive byte for byte, and are shown with the email', async () => {
    const [pdf, image] = [randomBytes(70_000), randomBytes(999)];
    const { response, message } = await sent(file(pdf, 'Rechnung März.pdf'), {
      ...file(image, 'logo'),
      contentType: 'image/png',
      contentId: 'logo',
    });
    const arrived = new Map(message.attachments.map((attachment) => [attachment.filename, attachment]));
    expect(arrived.get('Rechnung März.pdf')).toMatchObject({ contentType: 'application/pdf', content: pdf });
    expect(arrived.get('logo')).toMatchObject({ contentType: 'image/png', cid: 'logo', content: image });
    const { body } = await client.get<EmailDetail>(`/api/emails/${response.emailTrackingId}`);
    expect(body.attachments).toEqual([
      { filename: 'Rechnung März.pdf', contentType: 'application/pdf', contentId: null, size: 70_000 },
      { filename: 'logo', contentType: 'image/png', contentId: 'logo', size: 999 },
    ]);
  });

  it('may have twenty megabytes together', async () => {
    const [one, other] = [randomBytes(12 * 1024 * 1024), randomBytes(8 * 1024 * 1024)];
    const arrived = base64PartsOf((await sentContent(file(one), file(other, 'other'))).content);
    expect(arrived.map((content) => content.length)).toEqual([one.length, other.length]);
    expect(arrived[0]!.equals(one)).toBe(true);
    expect(arrived[1]!.equals(other)).toBe(true);
  });

  it('may be empty', async () => {
    const { response, message } = await sent(file(randomBytes(3)), { filename: 'empty.csv', content: '' });
    expect(message.attachments).toMatchObject([{ size: 3 }, { filename: 'empty.csv', size: 0 }]);
    const { body } = await client.get<EmailDetail>(`/api/emails/${response.emailTrackingId}`);
    expect(body.attachments).toMatchObject([{ size: 3 }, { filename: 'empty.csv', contentType: 'text/csv', size: 0 }]);
  });

  it('may be wrapped into lines, and need no padding', async () => {
    const bytes = randomBytes(1_000);
    const lines = bytes.toString('base64').replace(/.{76}/g, '$&\r\n');
    const { message } = await sent(
      { filename: 'lines', content: `${lines}\n` },
      { filename: 'bare', content: bytes.toString('base64').replace(/=+$/, '') },
    );
    for (const { content } of message.attachments) expect(content.equals(bytes)).toBe(true);
  });

  it('are stored once per content and organization, and deleted with the last body', async () => {
    const bytes = randomBytes(5_000);
    const { response } = await sent(file(bytes, 'a'), file(bytes, 'b'));
    await sent(file(bytes, 'c'));
    expect(await countContents(service, client)).toBe(1);
    const first = client;
    client = await service.organization();
    await sent(file(bytes));
    expect(await countContents(service, client)).toBe(1);
    const other = client;

    const ofFirst = 'delete from email_contents c using emails e where e.id = c.email_id and e.organization_id = $1';
    const retention = new AttachmentContents(service.database, testBudgets(service.database).budgets);
    client = first;
    await service.database.query(`${ofFirst} and e.tracking_id = $2`, [first.organizationId, response.emailTrackingId]);
    await service.database.query(`update attachment_contents set used_at = now() - interval '2 hours'`);
    await retention.deleteUnused();
    expect(await countContents(service, client)).toBe(1);
    await service.database.query(ofFirst, [first.organizationId]);
    await retention.deleteUnused();
    expect(await countContents(service, client)).toBe(0);
    client = other;
    expect(await countContents(service, client)).toBe(1);
  });

  it('of a request that is in progress stay although no email has them yet', async () => {
    const bytes = randomBytes(100);
    const store = new AttachmentContents(service.database, testBudgets(service.database).budgets);
    const attachment = {
      filename: 'x',
      contentType: 'a/b',
      contentId: null,
      size: 100,
      sha256: 'ab'.repeat(32),
      bytes,
    };
    await store.store({ organizationId: client.organizationId, plan: 'pro' }, [attachment]);
    await service.database.query(`update attachment_contents set used_at = now() - interval '2 hours'`);
    await store.store({ organizationId: client.organizationId, plan: 'pro' }, [attachment]);
    await store.deleteUnused();
    expect(await countContents(service, client)).toBe(1);
  });

  it('are part of the request that an Idempotency-Key identifies', async () => {
    const sender = new IdempotentClient(client);
    const body = { ...email, attachments: [file(randomBytes(2_000))] };
    const first = await sender.send('attached', body);
    const again = await sender.send('attached', body);
    expect([first.status, again.status, isReplay(again)]).toEqual([200, 200, true]);
    expect((await sender.send('attached', { ...email, attachments: [file(randomBytes(2_000))] })).status).toBe(422);
    expect((await sender.send('attached', email)).status).toBe(422);
  });
});

describe('an attachment is refused', () => {
  const refused = async (attachments: unknown): Promise<ApiResponse<{ details?: { field: string }[] }>> =>
    client.post('/api/send', { ...email, attachments });
  const content = 'SGVsbG8=';

  it.each<[string, string, object]>([
    ['without a name', 'filename', { content }],
    ['with an empty name', 'filename', { filename: ' ', content }],
    ['with a path', 'filename', { filename: '../x', content }],
    ['with a path of Windows', 'filename', { filename: 'C:\\x', content }],
    ['with a line break in its name', 'filename', { filename: 'a\r\nBcc: x', content }],
    ['with a name that reads backwards', 'filename', { filename: 'a\u202efdp.exe', content }],
    ['with a name of 256 characters', 'filename', { filename: 'x'.repeat(256), content }],
    ['without content', 'content', { filename: 'a' }],
    ['with padding only', 'content', { filename: 'a', content: '====' }],
    ['with other characters', 'content', { filename: 'a', content: 'SGVs*bG8' }],
    ['with padding inside', 'content', { filename: 'a', content: 'SGVs=bG8=' }],
    ['with one character too many', 'content', { filename: 'a', content: 'SGVsb' }],
    ['with no string as content', 'content', { filename: 'a', content: 7 }],
    ['with no media type', 'contentType', { filename: 'a', content, contentType: 'pdf' }],
    ['with a line break in its type', 'contentType', { filename: 'a', content, contentType: 'a/b\r\nX: y' }],
    ['with a bracket in its ID', 'contentId', { filename: 'a', content, contentId: '<logo>' }],
    ['with a semicolon in its ID', 'contentId', { filename: 'a', content, contentId: 'logo;1' }],
    ['with an empty ID', 'contentId', { filename: 'a', content, contentId: '' }],
  ])('%s', async (_, field, attachment) => {
    const { status, body } = await refused([{ filename: 'good.txt', content }, attachment]);
    expect({ status, details: body.details }).toMatchObject({
      status: 400,
      details: [{ field: `attachments.1.${field}` }],
    });
  });

  it.each(['message/rfc822', 'Multipart/mixed'])('as %s, and the error names this type', async (contentType) => {
    const { body } = await refused([{ filename: 'a', content, contentType }]);
    expect(body).toMatchObject({ error: expect.stringMatching(/, not multipart\/… or message\/…$/) as string });
  });

  it.each<[string, string, unknown]>([
    ['that is no object', 'attachments.0', [7]],
    ['in no list', 'attachments', { filename: 'a', content }],
    ['as the twenty-first', 'attachments', Array.from({ length: 21 }, () => ({ filename: 'a', content }))],
    ['above 20 MB together', 'attachments', [file(Buffer.alloc(20 * 1024 * 1024)), { filename: 'a', content }]],
    [
      'with the ID of another',
      'attachments.1.contentId',
      [
        { filename: 'a', content, contentId: 'x' },
        { filename: 'b', content, contentId: 'x' },
      ],
    ],
  ])('%s', async (_, field, attachments) => {
    const { status, body } = await refused(attachments);
    expect({ status, details: body.details }).toMatchObject({ status: 400, details: [{ field }] });
    expect(await countContents(service, client)).toBe(0);
  });
});

describe('an email that is refused', () => {
  it('stores no attachment', async () => {
    await client.post('/api/suppressions', { address: 'gone@example.com' });
    const attachments = [file(randomBytes(100))];
    const suppressed = await client.post('/api/send', { ...email, to: 'gone@example.com', attachments });
    expect(suppressed.status).toBe(422);
    const { body } = await client.post('/api/campaigns', { name: 'Old' });
    await client.post(`/api/campaigns/${String(body.id)}/archive`);
    expect((await client.post('/api/send', { ...email, campaignId: 'Old', attachments })).status).toBe(400);
    expect(await countContents(service, client)).toBe(0);
  });
});
