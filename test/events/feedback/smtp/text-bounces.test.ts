import { readMailMessage } from '../../../../src/events/feedback/smtp/mail-message.js';
import { readNotification, type Notification } from '../../../../src/events/feedback/smtp/read-notification.js';
import { mail, REPORT_FIELDS } from './written-notifications.js';

async function read(raw: Buffer, sender?: string): Promise<Notification> {
  const message = await readMailMessage(raw);
  return readNotification(message!, sender);
}

describe('text-only bounces', () => {
  const QMAIL = [
    'Hi. This is the program at mx.example.net.',
    "I'm afraid I wasn't able to deliver your message to the following addresses.",
    '',
    '<reader@example.net>:',
    '203.0.113.9 does not like recipient.',
    'Remote host said: 550 5.1.1 No such user here',
    'Giving up on 203.0.113.9.',
    '',
    '--- Below this line is a copy of the message.',
    '',
    'Subject: News',
  ];
  const plain = { From: 'postmaster@mx.example.net', Date: REPORT_FIELDS.Date, Subject: 'failure notice' };

  it.each([
    ['with a null sender', plain, ''],
    ['with a null sender in its header', { ...plain, 'Return-Path': '<>' }, undefined],
    ['with a null sender as Postfix writes it', { ...plain, 'Return-Path': '<MAILER-DAEMON>' }, undefined],
    ['from MAILER-DAEMON', { ...plain, From: 'MAILER-DAEMON@mx.example.net' }, 'a@mx.example.net'],
    ['from Mailer-Daemon, also as a reply', { ...REPORT_FIELDS, From: 'Mailer-Daemon@mx.example.net' }, ''],
  ])('%s and an explicit 5.1.x code are hard', async (_, fields, sender) => {
    expect(await read(mail(fields, ...QMAIL), sender)).toEqual({
      kind: 'text-bounce',
      reports: [
        {
          fact: 'bounced',
          bounce: 'hard',
          smtpStatus: '5.1.1',
          reason: 'Remote host said: 550 5.1.1 No such user here',
        },
      ],
    });
  });

  it('are hard with the first line of a reply of several lines, too', async () => {
    const line = 'Remote host said: 550-5.1.1 The email account that you tried to reach does not exist. Please try';
    expect(await read(mail(plain, line), '')).toMatchObject({
      kind: 'text-bounce',
      reports: [{ smtpStatus: '5.1.1' }],
    });
  });

  it.each([
    ['from another sender', plain, 'ada@example.com', QMAIL],
    ['without a code', plain, '', ['Your message could not be delivered: no such user']],
    ['with a code for something else', plain, '', ['552 5.2.2 Mailbox full']],
    ['with a code about the sender', plain, '', ['550 5.1.8 Bad sender']],
    ['with a number that is no code', plain, '', ['Sent by version 15.1.1 of it, or 5.1.1.7, or 2026-5.1.1']],
    ['with a code in the returned message only', plain, '', ['Sorry', '--- Original message ---', '550 5.1.1 x']],
    ['with a code in a quoted line only', plain, '', ['Sorry', '> 550 5.1.1 x']],
  ])('%s are ignored', async (_, fields, sender, lines) => {
    expect(await read(mail(fields, ...lines), sender)).toEqual({ kind: 'other', reports: [] });
  });
});

describe('autoreplies and vacation messages', () => {
  it.each(['auto-replied', 'auto-generated', 'auto-replied (vacation)'])('marked %s are ignored', async (value) => {
    const fields = { From: 'ada@example.com', 'Auto-Submitted': value };
    expect(await read(mail(fields, 'I am away. 550 5.1.1'), '')).toEqual({ kind: 'autoreply', reports: [] });
  });

  it('are not confused with messages of people', async () => {
    const fields = { From: 'ada@example.com', 'Auto-Submitted': 'no' };
    expect(await read(mail(fields, 'Hello'), 'ada@example.com')).toEqual({ kind: 'other', reports: [] });
  });
});
