import { randomBytes } from 'node:crypto';
import { simpleParser } from 'mailparser';
import type { BroadcastMessageView } from '../../src/broadcasts/broadcast-content.js';
import { AttachmentContents } from '../../src/emails/attachments/attachment-contents.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { BroadcastClient, draft, people } from '../support/broadcast-client.js';
import { changeDraft } from '../support/changed-drafts.js';
import { testBudgets } from '../support/budgets.js';
import { TestService, type TestClient } from '../support/service.js';
import { countContents } from '../support/attachment-contents.js';

/* The other content of a broadcast, which is the same for every recipient. */

let service: TestService;
let client: TestClient;
let broadcasts: BroadcastClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
});
beforeEach(async () => {
  client = await service.organization();
  broadcasts = new BroadcastClient(client);
});
afterAll(() => service?.stop());

const [pdf, image] = [randomBytes(30_000), randomBytes(700)];
const attachments = [
  { filename: 'Plan.pdf', content: pdf.toString('base64') },
  { filename: 'logo.png', content: image.toString('base64'), contentId: 'logo' },
];
const views = [
  { filename: 'Plan.pdf', contentType: 'application/pdf', contentId: null, size: 30_000 },
  { filename: 'logo.png', contentType: 'image/png', contentId: 'logo', size: 700 },
];
const headers = { 'X-Order': '4711', Precedence: 'bulk' };
const htmlContent = '<body><img src="cid:logo">Hello {{ name }}</body>';

const messageOf = async (id: string) => (await client.get<BroadcastMessageView>(`/api/broadcasts/${id}/message`)).body;
const change = (id: string, fields: object) => changeDraft(client, id, fields);

/** Runs the deletion as if an hour had passed. */
async function deleteUnused(): Promise<void> {
  await service.database.query(`update attachment_contents set used_at = now() - interval '2 hours'`);
  await new AttachmentContents(service.database, testBudgets(service.database).budgets).deleteUnused();
}

async function sent(id: string): Promise<EmailDetail[]> {
  await broadcasts.move(id, 'send');
  await broadcasts.settled(id, 'sent');
  const { body } = await client.get<{ emails: { id: string }[] }>('/api/emails');
  return Promise.all(body.emails.map(async (email) => (await client.get<EmailDetail>(`/api/emails/${email.id}`)).body));
}

it('headers and attachments of a broadcast reach every recipient, and are stored once', async () => {
  const id = await broadcasts.create({ htmlContent, headers, attachments });
  expect(await messageOf(id)).toMatchObject({ headers, attachments: views });
  await broadcasts.add(
    id,
    people(3).map((one, n) => ({ ...one, variables: { name: `R${n}` } })),
  );
  const emails = await sent(id);
  expect(await countContents(service, client)).toBe(2);
  expect(emails).toHaveLength(3);
  for (const email of emails) {
    expect(email).toMatchObject({ headers, attachments: views });
    const [message] = service.mailServer.messages.filter(({ emailId }) => emailId === email.id);
    const mail = await simpleParser(message!.content, { skipImageLinks: true });
    expect(mail.headers.get('x-order')).toBe('4711');
    expect(mail.headers.get('precedence')).toBe('bulk');
    const arrived = new Map(mail.attachments.map(({ filename, content }) => [filename, content]));
    expect(arrived.get('Plan.pdf')?.equals(pdf)).toBe(true);
    expect(arrived.get('logo.png')?.equals(image)).toBe(true);
    expect(mail.html).toMatch(/cid:logo[^]*Hello R\d/);
  }
});

it('attachments stay while a draft may still be sent, and are deleted with the last body', async () => {
  const id = await broadcasts.create({ htmlContent, attachments });
  await broadcasts.add(id, people(1));
  await deleteUnused();
  expect(await countContents(service, client)).toBe(2);
  const [email] = await sent(id);
  await deleteUnused();
  expect(await countContents(service, client)).toBe(2);
  await service.database.query('delete from email_contents where email_id = $1', [email!.id]);
  await deleteUnused();
  expect(await countContents(service, client)).toBe(0);
});

it('a changed draft keeps its attachments, unless the change replaces them', async () => {
  const id = await broadcasts.create({ headers, attachments });
  expect((await change(id, { name: 'Other' })).status).toBe(200);
  expect(await messageOf(id)).toMatchObject({ headers: null, attachments: views });
  expect((await change(id, { attachments: attachments.slice(1) })).status).toBe(200);
  expect((await messageOf(id)).attachments).toEqual(views.slice(1));
  await deleteUnused();
  expect(await countContents(service, client)).toBe(1);
  expect((await change(id, { attachments: [] })).status).toBe(200);
  expect((await messageOf(id)).attachments).toEqual([]);
  await deleteUnused();
  expect(await countContents(service, client)).toBe(0);
});

it.each<[string, string, object]>([
  ['a header that is not allowed', 'headers.Bcc', { headers: { Bcc: 'x@example.com' } }],
  ['21 attachments', 'attachments', { attachments: Array(21).fill(attachments[1]) }],
  ['content that is not base64', 'attachments.0.content', { attachments: [{ filename: 'a', content: '*' }] }],
])('a broadcast with %s is refused', async (_, field, fields) => {
  const { status, body } = await client.post<{ details?: object[] }>('/api/broadcasts', { ...draft, ...fields });
  expect({ status, details: body.details }).toMatchObject({ status: 400, details: [{ field }] });
  expect(await countContents(service, client)).toBe(0);
});
