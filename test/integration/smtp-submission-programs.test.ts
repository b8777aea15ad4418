import { simpleParser, type ParsedMail } from 'mailparser';
import { eventually } from '../support/eventually.js';
import { TestService } from '../support/service.js';
import { SubmissionClient } from '../support/submission-client.js';

/* Messages as common programs write them. */

let service: TestService;
let smtp: SubmissionClient;
let sent = 0;

beforeAll(async () => {
  service = await TestService.start({ environment: { SUBMISSION_PORT: '0' } });
  smtp = new SubmissionClient(service, await service.organization());
});
afterAll(() => service?.stop());

const HEADER = ['From: Ada <ada@acme.example>', 'Subject: The engine'];

/** The source of the message as its recipient gets it. */
async function arrivedSource(...lines: readonly string[]): Promise<string> {
  const to = `reader${++sent}@example.com`;
  const reply = await smtp.send({
    envelope: { from: 'ada@acme.example', to },
    raw: [...HEADER, ...lines].join('\r\n'),
  });
  expect(reply).toMatchObject({ code: 250 });
  const found = await eventually(() => service.mailServer.messages.find(({ recipients }) => recipients.includes(to)));
  return found.content.toString('latin1');
}

const arrived = async (...lines: readonly string[]): Promise<ParsedMail> =>
  simpleParser(Buffer.from(await arrivedSource(...lines), 'latin1'));

const multipart = (subtype: string, boundary: string, ...parts: readonly (readonly string[])[]): string[] => [
  `Content-Type: multipart/${subtype}; boundary=${boundary}`,
  '',
  ...parts.flatMap((part) => [`--${boundary}`, ...part]),
  `--${boundary}--`,
];
const plain = (...lines: string[]): string[] => ['Content-Type: text/plain', '', ...lines];
const html = (body: string): string[] => ['Content-Type: text/html', '', `<html><body>${body}</body></html>`];
const PDF = ['Content-Type: application/pdf; name=a.pdf', 'Content-Disposition: inline; filename=a.pdf', '', 'PDF'];

it('wrapped text of Thunderbird arrives as the paragraphs that were written', async () => {
  const { text } = await arrived(
    'Content-Type: text/plain; charset=UTF-8; format=flowed',
    '',
    'One ',
    'line.',
    '> a ',
    '> b',
  );
  expect(text).toBe('One line.\n> a b\n');
});

it('a field with a public key arrives as it is, in lines that servers accept', async () => {
  const key = Array.from({ length: 60 }, (_, at) => `${at}`.padEnd(75, 'A'));
  const source = await arrivedSource(
    `Autocrypt: addr=ada@acme.example; keydata=`,
    ...key.map((line) => ` ${line}`),
    '',
    'x',
  );
  const [, value] = /^Autocrypt: ((?:.*\r\n[ \t])*.*)\r\n/m.exec(source)!;
  expect(value!.replace(/\r\n[ \t]/g, ' ')).toBe(`addr=ada@acme.example; keydata= ${key.join(' ')}`);
  for (const line of source.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
});

it('a message of cron without a subject arrives with the names of its environment', async () => {
  const to = 'root@example.com';
  const raw = [
    ...['From: ada@acme.example (Cron Daemon)', `To: ${to}`, 'Content-Type: text/plain; charset=UTF-8'],
    ...['X-Cron-Env: <SHELL=/bin/sh>', 'X-Cron-Env: <HOME=/root>', '', 'disk full'],
  ].join('\n');
  expect(await smtp.send({ envelope: { from: 'ada@acme.example', to }, raw })).toMatchObject({ code: 250 });
  const found = await eventually(() => service.mailServer.messages.find(({ recipients }) => recipients.includes(to)));
  const mail = await simpleParser(found.content);
  expect([mail.subject, mail.text]).toEqual(['(no subject)', 'disk full\n']);
  expect(mail.headers.get('x-cron-env')).toBe('<SHELL=/bin/sh>, <HOME=/root>');
});

it("mail of cron through msmtp or dma, whose From has no domain, gets that of the envelope's sender", async () => {
  const [to, domainless] = ['admin@example.com', 'domainless@example.com'];
  const raw = 'From: root (Cron Daemon)\r\nTo: root\r\nSubject: Cron <root@web> run\r\n\r\ndisk full\r\n';
  expect(await smtp.send({ envelope: { from: 'root@acme.example', to }, raw })).toMatchObject({ code: 250 });
  const found = await eventually(() => service.mailServer.messages.find(({ recipients }) => recipients.includes(to)));
  expect((await simpleParser(found.content)).replyTo?.text).toBe('root@acme.example');
  expect(await smtp.send({ envelope: { from: '', to: domainless }, raw })).toMatchObject({
    code: 554,
    text: expect.stringContaining('From must have an address with a domain'),
  });
});

it('two hosts that send the same message under one ID, without a domain in its From, get an email each', async () => {
  const to = 'hosts@example.com';
  const raw = 'Message-ID: <1@localhost>\r\nFrom: root\r\nSubject: Report\r\n\r\nx\r\n';
  for (const from of ['root@one.example', 'root@two.example', 'root@two.example'])
    expect(await smtp.send({ envelope: { from, to }, raw })).toMatchObject({ code: 250 });
  const mailsTo = () => service.mailServer.messages.filter(({ recipients }) => recipients.includes(to));
  await eventually(() => mailsTo().length === 2);
  const mails = await Promise.all(mailsTo().map(({ content }) => simpleParser(content)));
  expect(mails.map(({ replyTo }) => replyTo?.text).sort()).toEqual(['root@one.example', 'root@two.example']);
});

it('a field that no line can hold is refused', async () => {
  const raw = [...HEADER, `X-Long: ${'a'.repeat(901)}`, '', 'x'].join('\r\n');
  const reply = await smtp.send({ envelope: { from: 'ada@acme.example', to: 'long@example.com' }, raw });
  expect(reply).toMatchObject({ code: 554, text: expect.stringContaining('headers.X-Long must have a blank after') });
});

it('HTML of Apple Mail with a file in between is shown whole, with that file alone', async () => {
  const mixed = multipart('mixed', 'b', html('Before'), PDF, html('<a href="https://e.co/">After</a>'));
  const mail = await arrived(...multipart('alternative', 'a', plain('Before', 'After'), mixed));
  expect(mail.html).toMatch(/Before[^]*After/);
  expect(mail.text).toBe('Before\nAfter');
  expect(mail.attachments.map(({ filename }) => filename)).toEqual(['a.pdf']);
});

it.each<[string, string[]]>([
  ['blank', ['', '']],
  ['empty', []],
])('text of Apple Mail that ends with a part that is %s has no file for it', async (_, last) => {
  const mail = await arrived(...multipart('mixed', 'a', plain('Hello'), PDF, plain(...last)));
  expect([mail.text, mail.attachments.map(({ filename }) => filename)]).toEqual(['Hello', ['a.pdf']]);
});

it('a text or HTML with a name stays a file, also an empty one', async () => {
  const named = (type: string, name: string, content: string): string[] => [
    `Content-Type: ${type}; name=${name}`,
    '',
    content,
  ];
  const parts = [html('Hello'), named('text/html', 'a.html', '<p>x</p>'), named('text/plain', 'b.log', '')];
  const mail = await arrived(...multipart('mixed', 'a', ...parts));
  expect(mail.html).not.toContain('<p>x</p>');
  expect(mail.attachments.map(({ filename }) => filename)).toEqual(['a.html', 'b.log']);
});

it('a bounce of Postfix arrives as one', async () => {
  const parts = [
    ['Content-Description: Notification', 'Content-Type: text/plain; charset=us-ascii', '', 'It came back.'],
    ['Content-Description: Delivery report', 'Content-Type: message/delivery-status', '', 'Action: failed'],
    ['Content-Description: Undelivered Message', 'Content-Type: message/rfc822', '', 'Subject: Lunch', '', 'Hungry?'],
  ];
  const source = await arrivedSource('Auto-Submitted: auto-replied', ...multipart('report', 'b', ...parts));
  expect(source).toMatch(/^Auto-Submitted: auto-replied\r$/m);
  expect(source).toMatch(/^Content-Type: multipart\/report; report-type=delivery-status;/m);
  expect(source).toMatch(/Content-Type: message\/delivery-status;[^]*\r\n\r\nAction: failed\r\n--/);
  expect(source).toMatch(/Content-Type: message\/rfc822;[^]*\r\n\r\nSubject: Lunch\r\n\r\nHungry\?\r\n--/);
});

it.each(['From: Jörg <jörg@acme.example>', 'From: ada@acme.example\r\nReply-To: jörg@acme.example'])(
  '%j, with letters beyond ASCII before the @, is refused with the status for them',
  async (fields) => {
    const envelope = { from: 'ada@acme.example', to: 'reader@example.com' };
    expect(await smtp.send({ envelope, raw: `${fields}\r\nSubject: x\r\n\r\nHi` })).toMatchObject({
      code: 553,
      text: expect.stringMatching(/^553 5\.6\.7 (from|replyTo) must have only ASCII characters before the @/),
    });
  },
);
