import { decodeWords } from 'postal-mime';
import { readMimeHeaders } from '../../../../src/emails/accept/message-headers.js';
import { readHeaderFields } from '../../../../src/emails/submission/mime/header-fields.js';
import { readMimeMessageFields } from '../../../../src/emails/submission/mime/message-fields.js';
import { readRecipientNames } from '../../../../src/emails/submission/mime/recipient-names.js';

const fields = (...lines: string[]) => readHeaderFields(Buffer.from(lines.join('\r\n')));
const read = (...lines: string[]) => readMimeMessageFields(fields('From: a@b.example', ...lines));

describe('the header of a message', () => {
  it('becomes the fields of POST /api/send', () => {
    const message = readMimeMessageFields(
      fields(
        'From: =?utf-8?q?Ad=C3=A9?= <ada@acme.example>',
        'Reply-To: "Office, the" <office@acme.example>',
        'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
        ' =?utf-8?q?_an_alle?=',
        'Message-ID: <1@acme.example>',
        'X-Mailbeacon-Campaign: Spring',
        'X-Mailbeacon-Tags: a, b  c',
        'X-Mailbeacon-Metadata: {"order":',
        '  17}',
        'x-mailbeacon-unsubscribe: TRUE',
        'List-Unsubscribe: <mailto:x@acme.example>',
        'List-ID: <news.acme.example>',
        'X-Mailer: Sendomatic 1.0',
        'To: reader@example.com',
        'Bcc: secret@example.com',
        'Received: from somewhere',
        'Received: from elsewhere',
        'DKIM-Signature: v=1',
        'MIME-Version: 1.0',
        'Content-Type: text/plain',
        'Date: Thu, 01 Jan 2026 00:00:00 +0000',
      ),
    );
    expect(message).toEqual({
      from: 'Adé <ada@acme.example>',
      replyTo: '"Office, the" <office@acme.example>',
      subject: 'Grüße an alle',
      messageId: '<1@acme.example>',
      campaignId: 'Spring',
      tags: ['a', 'b', 'c'],
      metadata: { order: 17 },
      unsubscribe: true,
      headers: { 'List-ID': '<news.acme.example>', 'X-Mailer': 'Sendomatic 1.0' },
    });
  });

  it("keeps the sender's own List-Unsubscribe without ours", () => {
    expect(read('List-Unsubscribe: <mailto:x@acme.example>').headers).toHaveProperty('List-Unsubscribe');
  });

  it('shortens the references of a long thread to the first and the latest', () => {
    const ids = Array.from({ length: 60 }, (_, at) => `<message-${at}@acme.example>`);
    const { References: kept } = read(`References: ${ids.join('\r\n ')}`).headers;
    expect(kept!.length).toBeLessThanOrEqual(900);
    expect(kept!.startsWith(`${ids[0]} `)).toBe(true);
    expect(kept!.endsWith(ids.slice(-20).join(' '))).toBe(true);
  });

  it('is read although it was folded with tabs, or has letters beyond ASCII', () => {
    const { subject, headers } = read(
      'Subject: one\r\n\ttwo',
      'References: <a@b>\r\n\t<c@d>',
      'In-Reply-To: Your message of Monday <e@f>',
      'X-Spam_score: 1\r\n\t2',
      'Organization: Müller & Söhne, Ölmühle',
      '__proto__: x',
    );
    expect(subject).toBe('one two');
    expect(headers).toMatchObject({ References: '<a@b> <c@d>', 'In-Reply-To': '<e@f>', 'X-Spam_score': '1 2' });
    expect(Object.keys(headers)).toContain('__proto__');
    expect(headers['Organization']).toMatch(/^=\?utf-8\?B\?/);
    expect(decodeWords(headers['Organization']!)).toBe('Müller & Söhne, Ölmühle');
    expect(Object.keys(readMimeHeaders({ 'X-Spam_score': '1' })!)).toEqual(['X-Spam_score']);
  });

  it('may repeat a field: one with all of its values is sent on', () => {
    const { headers } = read(
      'X-Cron-Env: <SHELL=/bin/sh>',
      'X-Order: 17',
      'X-Order:',
      'x-cron-env: <HOME=/root>',
      'X-Cron-Env: <SHELL=/bin/sh>',
      'References: <a@b>',
      'References: <c@d>',
    );
    expect(headers).toEqual({
      'X-Cron-Env': '<SHELL=/bin/sh>, <HOME=/root>',
      'X-Order': '17',
      References: '<a@b> <c@d>',
    });
  });

  it('may say twice what can be said once', () => {
    expect(
      read(
        ...['From: a@b.example', 'Subject: x', 'Subject: x', 'Message-ID: <1@b.example>', 'Message-ID: <1@b.example>'],
        'Reply-To: Office <office@b.example>, OFFICE@b.example',
      ),
    ).toMatchObject({ subject: 'x', messageId: '<1@b.example>', replyTo: 'Office <office@b.example>' });
  });

  it.each([[[]], [['Subject:']], [['Subject: =?utf-8?q?_?=']]])(
    'without a subject has one that says so: %j',
    (lines) => {
      expect(read(...lines).subject).toBe('(no subject)');
    },
  );

  it.each(['content-type', 'resent-from', 'arc-seal', 'received', 'x-mailbeacon-tags'])(
    'leaves out %s, which our own messages have or which is about the way to us',
    (name) => {
      expect(read(`${name}: a`).headers).toEqual({});
    },
  );

  it('leaves out a Message-ID that is none', () => {
    for (const id of ['', '<>', '<a@>', 'a@b', `<${'a'.repeat(300)}@b>`]) {
      expect(read(`Message-ID: ${id}`)).not.toHaveProperty('messageId');
    }
  });

  it.each<[string, string[]]>([
    ['more than one From', ['From: c@d.example']],
    ['more than one Message-ID', ['Message-ID: <a@b.example>', 'Message-ID: <c@d.example>']],
    ['Reply-To must have exactly one address', ['Reply-To: a@b.example, c@d.example']],
    ['Reply-To must have exactly one address', [`Reply-To: ${'a'.repeat(3_000)}@b.example`]],
    ['X-Mailbeacon-Unsubscribe must be true or false', ['X-Mailbeacon-Unsubscribe: yes']],
    ['X-Mailbeacon-Metadata must be JSON', ['X-Mailbeacon-Metadata: {order}']],
    ['X-Mailbeacon-Campain is none of our fields', ['X-Mailbeacon-Campain: Spring']],
    ['more than one X-Mailbeacon-Tags', ['X-Mailbeacon-Tags: a', 'X-Mailbeacon-Tags: b']],
  ])('is refused: %s', (reason, lines) => {
    expect(() => read(...lines)).toThrow(reason);
  });

  it('is refused without a sender', () => {
    expect(() => readMimeMessageFields(fields('Subject: x'))).toThrow('no From field');
    expect(() => readMimeMessageFields(fields('From: undisclosed:;'))).toThrow('From must have exactly one address');
  });

  it.each([
    ['root', 'root@web.acme.example'],
    ['root (Cron Daemon)', 'root@web.acme.example'],
    ['"Cron Daemon" <root>', 'Cron Daemon <root@web.acme.example>'],
  ])('completes the sender %s with the domain of the envelope', (sender, from) => {
    expect(readMimeMessageFields(fields(`From: ${sender}`), 'web.acme.example').from).toBe(from);
    expect(() => readMimeMessageFields(fields(`From: ${sender}`))).toThrow(
      'From must have an address with a domain, like root@example.com',
    );
  });

  it.each(['Ada Lovelace', 'root, cron', 'undisclosed:;'])(
    'completes no sender that names no mailbox: %s',
    (sender) => {
      expect(() => readMimeMessageFields(fields(`From: ${sender}`), 'acme.example')).toThrow(/^From must have /);
    },
  );

  it('names recipients in To and Cc, unless the name would refuse the message', () => {
    const nameOf = readRecipientNames(
      fields(
        'To: "Doe, Jane" <Jane@example.com>, Team: b@example.com;',
        'Cc: "evil\u202ename" <c@example.com>, Dan <d@example.com>',
      ),
    );
    expect(nameOf('d@example.com')).toBe('Dan <d@example.com>');
    expect(nameOf('jane@example.com')).toBe('"Doe, Jane" <jane@example.com>');
    expect(nameOf('b@example.com')).toBe('b@example.com');
    expect(nameOf('c@example.com')).toBe('c@example.com');
    expect(nameOf('bcc@example.com')).toBe('bcc@example.com');
  });
});
