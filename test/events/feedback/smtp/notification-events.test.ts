import fc from 'fast-check';
import { findReportedReturnPath, findReturnPath } from '../../../../src/events/feedback/smtp/find-return-path.js';
import { readMailMessage } from '../../../../src/events/feedback/smtp/mail-message.js';
import { eventsOf } from '../../../../src/events/feedback/smtp/notification-events.js';
import { readNotification } from '../../../../src/events/feedback/smtp/read-notification.js';
import type { RecipientEvent } from '../../../../src/events/recipient-event.js';
import { generateEmailTrackingId } from '../../../../src/links/email-tracking-id.js';
import { signReturnPath, type ReturnPath } from '../../../../src/links/return-path.js';
import { timeOfUuidV7 } from '../../../../src/platform/clock/uuid-v7.js';
import { keysWith } from '../../../links/keys.js';
import { deliveryStatus, feedbackReport, mail, REPORT_FIELDS } from './written-notifications.js';

const DOMAIN = 'bounces.example.com';
const keys = keysWith(1);
const emailTrackingId = generateEmailTrackingId(keys, new Uint8Array(12).fill(3));
const path: ReturnPath = { emailTrackingId, position: 2 };
const address = signReturnPath(keys, path, DOMAIN);
const WRITTEN = Date.parse(REPORT_FIELDS.Date);
const GONE = 'Final-Recipient: rfc822; reader@example.net\nAction: failed\nStatus: 5.1.1';

async function events(raw: Buffer, at: ReturnPath = path, now = WRITTEN + 5_000): Promise<readonly RecipientEvent[]> {
  const message = (await readMailMessage(raw))!;
  return eventsOf(readNotification(message, ''), at, message, now);
}

describe('the events of a notification', () => {
  it('have the recipient of the token, whichever address the report names', async () => {
    expect(await events(deliveryStatus(GONE))).toEqual([
      {
        type: 'recipient',
        id: expect.any(String),
        email: emailTrackingId,
        recipient: 2,
        fact: 'bounced',
        bounce: 'hard',
        smtpStatus: '5.1.1',
      },
    ]);
  });

  it('take the recipient from the report if the token names only the email; without one there are none', async () => {
    expect(await events(deliveryStatus(GONE), { emailTrackingId })).toMatchObject([
      { recipient: 'reader@example.net' },
    ]);
    expect(await events(feedbackReport('Feedback-Type: abuse'), { emailTrackingId })).toEqual([]);
  });

  it('have each fact of a recipient once, even if several reports contain it', async () => {
    const group = (number: number): string => `${GONE}\nDiagnostic-Code: smtp; 550 reason ${number}`;
    const delayed = GONE.replace('failed', 'delayed');
    const many = deliveryStatus([...Array.from({ length: 150 }, (_, number) => group(number)), delayed].join('\n\n'));
    expect(await events(many)).toMatchObject([{ fact: 'bounced', reason: '550 reason 0' }, { fact: 'deferred' }]);
    const softAndHard = deliveryStatus(`${GONE.replace('5.1.1', '4.2.2')}\n\n${GONE}`);
    expect(await events(softAndHard)).toMatchObject([{ bounce: 'soft' }, { bounce: 'hard' }]);
    const ofTwo = `${GONE}\n\n${GONE.replace('reader@', 'other@')}`;
    expect(await events(deliveryStatus(ofTwo), { emailTrackingId })).toHaveLength(2);
  });

  it('have the same ID when the notification is delivered again, with other trace fields or a day later', async () => {
    const [first] = await events(deliveryStatus(GONE));
    const again = Buffer.concat([
      Buffer.from(`Delivered-To: ${address}\r\nReceived: from mx2.example.net\r\n`),
      deliveryStatus(GONE),
    ]);
    expect((await events(again, path, WRITTEN + 86_400_000))[0]?.id).toBe(first?.id);
    expect(timeOfUuidV7(first!.id)).toBe(WRITTEN);
  });

  it('have other IDs when anything else differs', async () => {
    const ids = (
      await Promise.all([
        events(deliveryStatus(GONE)),
        events(deliveryStatus(GONE), { emailTrackingId, position: 1 }),
        events(deliveryStatus(`${GONE}\nDiagnostic-Code: smtp; 550 another`)),
        events(deliveryStatus(GONE.replace('failed', 'delayed'))),
        events(Buffer.from(deliveryStatus(GONE).toString().replace('4D1F', '4D20'))),
      ])
    ).flatMap((list) => list.map(({ id }) => id));
    expect(new Set(ids).size).toBe(5);
  });

  it.each(['', 'yesterday', 'Sun, 22 Nov 2020 10:00:00 +0000', 'Sun, 22 Nov 2099 10:00:00 +0000'])(
    'use the current time when the date of the notification is %j',
    async (date) => {
      const raw = Buffer.from(deliveryStatus(GONE).toString().replace(REPORT_FIELDS.Date, date));
      const [event] = await events(raw);
      expect(timeOfUuidV7(event!.id)).toBe(Date.parse('2026-11-22T00:00:00Z'));
    },
  );
});

describe('the token of a posted notification', () => {
  const found = async (raw: Buffer): Promise<unknown> => findReturnPath(keys, DOMAIN, (await readMailMessage(raw))!);

  it.each(['Delivered-To', 'X-Original-To', 'To'])('is found in %s', async (name) => {
    expect(await found(mail({ [name]: address }, 'x'))).toEqual(path);
    expect(await found(mail({ [name]: `Bounces <${address.toUpperCase()}>` }, 'x'))).toEqual(path);
  });

  it('is found in any of several addresses, with Delivered-To before the rest', async () => {
    const other = signReturnPath(keys, { emailTrackingId, position: 9 }, DOMAIN);
    expect(await found(mail({ To: other, 'Delivered-To': address }, 'x'))).toEqual(path);
    expect(await found(mail({ 'Delivered-To': 'bounces@localhost', To: `a@example.com, ${address}` }, 'x'))).toEqual(
      path,
    );
  });

  it('is not read from other fields, nor if its check fails', async () => {
    expect(await found(mail({ Cc: address, Subject: address }, address))).toBeUndefined();
    expect(await found(mail({ To: address.replace('b+', 'b+a') }, 'x'))).toBeUndefined();
    fc.assert(
      fc.property(fc.nat(47), (at) => {
        const wrong = `${address.slice(0, at + 2)}${address[at + 2] === 'a' ? 'b' : 'a'}${address.slice(at + 3)}`;
        return findReturnPath(keys, DOMAIN, { headers: new Map([['to', [wrong]]]), text: '', parts: [] }) === undefined;
      }),
    );
  });
});

describe('the token of an abuse report that hides the address', () => {
  const found = async (raw: Buffer): Promise<unknown> =>
    findReportedReturnPath(keys, DOMAIN, (await readMailMessage(raw))!);

  it.each([
    ['the envelope sender that the report contains', `Original-Mail-From: <${address}>`, undefined],
    ['the Return-Path of the returned message', '', `Return-Path: <${address}>\nSubject: News\n`],
    ['our own header, folded', '', `Subject: News\nX-Mailbeacon-Return-Path:\n ${address}\n`],
  ])('is %s', async (_, fields, header) => {
    expect(await found(feedbackReport(`Feedback-Type: abuse\n${fields}`.trim(), header))).toEqual(path);
  });

  it('is not read from the body of the returned message, nor from other messages', async () => {
    const body = `Subject: News\n\nX-Mailbeacon-Return-Path: ${address}\n`;
    expect(await found(feedbackReport('Feedback-Type: abuse', body))).toBeUndefined();
    expect(await found(mail({ From: 'a@example.com', 'X-Mailbeacon-Return-Path': address }, 'x'))).toBeUndefined();
  });
});
