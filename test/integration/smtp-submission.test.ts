import { simpleParser, type ParsedMail } from 'mailparser';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';
import { SubmissionClient } from '../support/submission-client.js';

const message = {
  from: 'Ada <ada@acme.example>',
  to: 'Reader <reader@example.com>',
  subject: 'The engine ✓',
  html: '<p>Grüße <a href="https://e.co/?a=1">x</a><img src="cid:logo@acme"></p>',
  text: 'Grüße\n',
};
const ID = /[0-9a-f-]{36}/;

let service: TestService;
let client: TestClient;
let smtp: SubmissionClient;
beforeAll(async () => {
  service = await TestService.start({
    environment: { SUBMISSION_PORT: '0', PLANS: 'pro=,tiny=1', BUDGET_EMAILS_PER_DAY: 'tiny=2' },
  });
});
afterAll(() => service?.stop());
beforeEach(async () => {
  client = await service.organization();
  smtp = new SubmissionClient(service, client);
});

const read = async (id: string): Promise<EmailDetail> => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;

/** The addresses of this organization's emails. */
async function recipients(): Promise<string[]> {
  const { body } = await client.get<{ emails: { recipient: string }[] }>('/api/emails?limit=100');
  return body.emails.map(({ recipient }) => recipient).sort();
}

async function arrived(recipient: string): Promise<ParsedMail> {
  const found = await eventually(() =>
    service.mailServer.messages.find(({ recipients: all }) => all.includes(recipient)),
  );
  return simpleParser(found.content);
}

function ownFields(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-Own-${at}`, 'a']));
}

describe('a message over SMTP', () => {
  it('arrives with its parts, with tracked links and a pixel', async () => {
    const reply = await smtp.send({
      ...message,
      replyTo: 'office@acme.example',
      messageId: '<own@acme.example>',
      headers: { 'X-Order': '17', 'In-Reply-To': '<a@acme.example>' },
      attachments: [
        { filename: 'bill — März.pdf', content: 'PDF', contentType: 'application/pdf' },
        { filename: 'logo.png', content: 'PNG', cid: 'logo@acme' },
      ],
    });
    expect(reply).toMatchObject({ code: 250, text: expect.stringMatching(/^250 2\.0\.0 Queued as [0-9a-f-]{36}$/) });
    const mail = await arrived('reader@example.com');
    expect(mail.subject).toBe(message.subject);
    expect(mail.text).toBe('Grüße\n');
    expect(mail.html).toMatch(/Grüße <a href="http:\/\/track\.test\/api\/t\/c\//);
    expect(mail.html).toMatch(/src="http:\/\/track\.test\/api\/t\/o\//);
    expect(mail.replyTo!.text).toBe('office@acme.example');
    expect(mail.headers.get('x-order')).toBe('17');
    expect(mail.inReplyTo).toBe('<a@acme.example>');
    expect(mail.messageId).toBe('<own@acme.example>');
    expect(mail.to).toMatchObject({ value: [{ name: 'Reader', address: 'reader@example.com' }] });
    const files = mail.attachments.map(({ filename, contentType, content }) => [filename, contentType, `${content}`]);
    expect(files.sort()).toEqual([
      ['bill — März.pdf', 'application/pdf', 'PDF'],
      ['logo.png', 'image/png', 'PNG'],
    ]);
    await eventually(async () => (await read(ID.exec(reply.text)![0])).status === 'sent');
  });

  it('becomes an email for each recipient of the envelope, with links of its own', async () => {
    const reply = await smtp.send({
      ...message,
      to: 'one@example.com',
      cc: 'Two <two@example.com>',
      bcc: ['three@example.com', 'ONE@example.com'],
      headers: {
        'X-Mailbeacon-Campaign': 'Spring',
        'X-Mailbeacon-Tags': 'news, blue',
        'X-Mailbeacon-Metadata': '{"order":17}',
        'X-Mailbeacon-Unsubscribe': 'true',
      },
    });
    expect(reply.text).toMatch(/^250 2\.0\.0 Queued as 3 emails, the first is [0-9a-f-]{36}$/);
    expect(await recipients()).toEqual(['ONE@example.com', 'three@example.com', 'two@example.com']);
    const pixels = new Set<string>();
    for (const address of ['two@example.com', 'three@example.com']) {
      const mail = await arrived(address);
      expect(mail.headers.has('list-unsubscribe') || mail.headers.has('list')).toBe(true);
      expect(mail.cc).toBeUndefined();
      expect(mail.headers.has('x-mailbeacon-metadata')).toBe(false);
      pixels.add(/api\/t\/o\/([^"]+)/.exec(String(mail.html))![1]!);
    }
    expect(pixels.size).toBe(2);
    const first = await read(ID.exec(reply.text)![0]);
    expect(first).toMatchObject({ metadata: { order: 17 }, tags: ['news', 'blue'], campaign: 'Spring' });
  });

  it('may have only text, or only a file', async () => {
    const { from, subject } = message;
    expect(await smtp.send({ from, subject, to: 'text@example.com', text: 'Hello' })).toMatchObject({ code: 250 });
    expect((await arrived('text@example.com')).html).toBe(false);
    const attachments = [{ filename: 'a.csv', content: 'a,b' }];
    expect(await smtp.send({ from, subject, to: 'file@example.com', attachments })).toMatchObject({ code: 250 });
    expect((await arrived('file@example.com')).attachments).toHaveLength(1);
  });

  it('shows a text before HTML that is not its alternative', async () => {
    const raw = [
      ...['From: ada@acme.example', 'Subject: x', 'Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'Hello'],
      ...['--b', 'Content-Type: text/html', '', '<p>World</p>', '--b--'],
    ].join('\r\n');
    const envelope = { from: 'ada@acme.example', to: 'mixed@example.com' };
    expect(await smtp.send({ envelope, raw })).toMatchObject({ code: 250 });
    const { html, text } = await arrived('mixed@example.com');
    expect(html).toMatch(/Hello<\/div>\s*<p>World/);
    expect(text).toMatch(/^Hello\s+World/);
  });

  it('is sent once, even if its client sends it again because it missed the reply', async () => {
    const repeated = { ...message, messageId: '<once@acme.example>', date: new Date(0), text: 'x', html: '' };
    const [first, second] = [await smtp.send(repeated), await smtp.send(repeated)];
    expect(second).toEqual(first);
    expect(await recipients()).toHaveLength(1);
    expect(await smtp.send({ ...repeated, to: 'other@example.com' })).toMatchObject({ code: 250 });
    expect(await recipients()).toHaveLength(2);
  });

  it('leaves out suppressed recipients, each with its own reply', async () => {
    await client.post('/api/suppressions', { addresses: ['gone@example.com'], reason: 'manual' });
    const reply = await smtp.send({ ...message, to: ['gone@example.com', 'here@example.com'] });
    expect(reply).toMatchObject({ code: 250, rejected: [{ recipient: 'gone@example.com' }] });
    expect(reply.rejected[0]!.reply).toMatch(/^550 5\.7\.1 /);
    expect(await recipients()).toEqual(['here@example.com']);
    expect(await smtp.send({ ...message, to: 'gone@example.com' })).toMatchObject({ code: 550 });
  });

  it.each<[string, number, string, object]>([
    ['two addresses for replies', 554, '5.6.0', { headers: { 'Reply-To': 'a@b.example, c@d.example' } }],
    ['an unknown field of ours', 554, '5.6.0', { headers: { 'X-Mailbeacon-Campain': 'Spring' } }],
    ['a field of other services', 554, '5.6.0', { headers: { 'X-SMTPAPI': '{}' } }],
    ['51 fields of its own', 554, '5.6.0', { headers: ownFields(51) }],
    ['bad tags', 554, '5.6.0', { headers: { 'X-Mailbeacon-Tags': 'a/b' } }],
    ['too many files', 554, '5.6.0', { attachments: Array(21).fill({ filename: 'a', content: 'a' }) }],
    ['too much HTML', 554, '5.6.0', { html: 'x'.repeat(5 * 1024 * 1024 + 1) }],
    ['a recipient whose address is not valid', 553, '5.1.3', { to: 'someone@localhost' }],
  ])('is refused with a reason, and nothing is stored: %s', async (_, code, enhanced, fields) => {
    const reply = await smtp.send({ ...message, headers: { 'X-Mailbeacon-Campaign': 'Never' }, ...fields });
    expect(reply).toMatchObject({ code, text: expect.stringContaining(` ${enhanced} `) });
    expect(await recipients()).toEqual([]);
    const { body } = await client.get<{ campaigns: unknown[] }>('/api/campaigns');
    expect(body.campaigns).toEqual([]);
  });

  it('keeps 50 fields of its own', async () => {
    const reply = await smtp.send({ ...message, to: 'fields@example.com', headers: ownFields(50) });
    expect(reply).toMatchObject({ code: 250 });
    const mail = await arrived('fields@example.com');
    expect([...mail.headers.keys()].filter((name) => name.startsWith('x-own-'))).toHaveLength(50);
  });

  it('of 20 MB of files is accepted, and a larger one is not', async () => {
    const file = (megabytes: number) => [{ filename: 'a.bin', content: Buffer.alloc(megabytes * 1024 * 1024, 1) }];
    expect(await smtp.send({ ...message, attachments: file(20) })).toMatchObject({ code: 250 });
    expect(await smtp.send({ ...message, attachments: file(21) })).toMatchObject({ code: 554 });
    expect(await smtp.send({ ...message, attachments: file(23) })).toMatchObject({ code: 552 });
  });

  it('counts against the budget of its organization, for all of its recipients or none', async () => {
    client = await service.organization('tiny');
    smtp = new SubmissionClient(service, client);
    const to = ['one@example.com', 'two@example.com', 'three@example.com'];
    expect(await smtp.send({ ...message, to })).toMatchObject({ code: 450 });
    expect(await recipients()).toEqual([]);
    expect(await smtp.send({ ...message, to: to.slice(1) })).toMatchObject({ code: 250 });
  });
});

describe('a key as password', () => {
  const withKey = async (fields: object): Promise<SubmissionClient> => {
    const { body } = await client.post<{ key: string }>('/api/keys', { name: 'SMTP', ...fields });
    return new SubmissionClient(service, { apiKey: body.key });
  };

  it('needs the scope to send, and its limits apply', async () => {
    expect(await (await withKey({ scopes: ['send'] })).send(message)).toMatchObject({ code: 250 });
    const refused = { code: 550, text: expect.stringContaining(' 5.7.1 ') };
    expect(await (await withKey({ scopes: ['read'] })).send(message)).toMatchObject(refused);
    expect(await (await withKey({ allowedAddresses: ['192.0.2.0/24'] })).send(message)).toMatchObject(refused);
    expect(await (await withKey({ allowedDomains: ['other.example'] })).send(message)).toMatchObject(refused);
  });

  it('that is wrong is refused, and one that is revoked', async () => {
    const wrong = new SubmissionClient(service, { apiKey: `${client.apiKey}x` });
    expect(await wrong.send(message)).toMatchObject({ code: 535, text: expect.stringContaining(' 5.7.8 ') });
    const { body } = await client.post<{ id: string; key: string }>('/api/keys', { name: 'SMTP' });
    expect((await client.delete(`/api/keys/${body.id}`)).status).toBe(204);
    expect(await new SubmissionClient(service, { apiKey: body.key }).send(message)).toMatchObject({ code: 535 });
  });

  it('of a suspended organization is refused, and the reply says why as over HTTP', async () => {
    await suspendOrganization(service.database, client.organizationId, 'It sends spam');
    const text = expect.stringContaining(' 5.7.1 This organization is suspended: It sends spam');
    expect(await smtp.send(message)).toMatchObject({ code: 550, text });
  });
});
