import { readMailMessage } from '../../../../src/events/feedback/smtp/mail-message.js';
import { readNotification, type Notification } from '../../../../src/events/feedback/smtp/read-notification.js';
import { deliveryStatus, feedbackReport, multipart, REPORT_FIELDS } from './written-notifications.js';

async function read(raw: Buffer, sender?: string): Promise<Notification> {
  const message = await readMailMessage(raw);
  return readNotification(message!, sender);
}

const GONE = [
  'Final-Recipient: rfc822; reader@example.net',
  'Original-Recipient: rfc822;reader@example.com',
  'Action: failed',
  'Status: 5.1.1',
  'Remote-MTA: dns; mx.example.net',
  'Diagnostic-Code: smtp; 550 5.1.1 <reader@example.net>: Recipient address',
  '    rejected: User unknown',
].join('\n');

const group = (action: string, status: string, diagnostic?: string): string =>
  [
    'Final-Recipient: rfc822; reader@example.net',
    `Action: ${action}`,
    `Status: ${status}`,
    ...(diagnostic ? [`Diagnostic-Code: smtp; ${diagnostic}`] : []),
  ].join('\n');

describe('delivery status notifications (RFC 3464)', () => {
  it('have the recipient of the email, the status and the text of the server', async () => {
    expect(await read(deliveryStatus(GONE))).toEqual({
      kind: 'delivery-status',
      reports: [
        {
          address: 'reader@example.com',
          fact: 'bounced',
          bounce: 'hard',
          smtpStatus: '5.1.1',
          reason: '550 5.1.1 <reader@example.net>: Recipient address rejected: User unknown',
        },
      ],
    });
  });

  it.each([
    ['5.1.0', 'hard'],
    ['5.1.1', 'hard'],
    ['5.1.2 (no such domain)', 'hard'],
    ['5.1.3', 'hard'],
    ['5.1.6', 'hard'],
    ['5.1.10', 'hard'],
    ['5.2.1', 'hard'],
    ['5.4.4', 'hard'],
    ['5.4.310', 'hard'],
    ['5.1.7', 'soft'],
    ['5.1.8', 'soft'],
    ['5.1.90', 'soft'],
    ['5.0.0', 'soft'],
    ['5.2.0', 'soft'],
    ['5.2.2', 'soft'],
    ['5.2.3', 'soft'],
    ['5.3.4', 'soft'],
    ['5.4.1', 'soft'],
    ['5.4.7', 'soft'],
    ['5.4.316', 'soft'],
    ['5.7.1', 'soft'],
    ['4.4.7', 'soft'],
    ['4.1.1', 'soft'],
    ['', 'soft'],
    ['nonsense', 'soft'],
  ])('failed with %s: %s, depending on whether the address exists', async (status, bounce) => {
    const { reports } = await read(deliveryStatus(group('failed', status)));
    expect(reports).toEqual([expect.objectContaining({ fact: 'bounced', bounce })]);
  });

  it('use the status of the quoted reply if their own names no cause', async () => {
    const { reports } = await read(deliveryStatus(group('failed', '5.0.0', '550 5.1.1 No such user')));
    expect(reports).toMatchObject([{ bounce: 'hard', smtpStatus: '5.1.1' }]);
    const specific = await read(deliveryStatus(group('failed', '5.2.2', '552 5.1.1 odd')));
    expect(specific.reports).toMatchObject([{ bounce: 'soft', smtpStatus: '5.2.2' }]);
  });

  it.each([
    ['delayed', { fact: 'deferred' }],
    ['Delivered', { fact: 'delivered' }],
    ['relayed', { fact: 'delivered' }],
    ['expanded (to a list)', { fact: 'noted' }],
  ])('%s', async (action, report) => {
    const { reports } = await read(deliveryStatus(group(action, '4.0.0')));
    expect(reports).toEqual([expect.objectContaining(report)]);
    expect(reports[0]).not.toHaveProperty('bounce');
  });

  it('are read for each of several recipients, without groups that report nothing', async () => {
    const other = 'Final-Recipient: rfc822; <other@example.net>\nAction: delayed\nStatus: 4.2.2';
    const unknown = 'Final-Recipient: rfc822; x@example.net\nAction: shrugged\nStatus: 5.1.1';
    const { reports } = await read(deliveryStatus(`${GONE}\n`, `${other}\n`, unknown));
    expect(reports.map(({ address, fact }) => [address, fact])).toEqual([
      ['reader@example.com', 'bounced'],
      ['other@example.net', 'deferred'],
    ]);
  });

  it('are found in base64, with bare line feeds, in a part for other alphabets, and without the report type', async () => {
    const body = Buffer.from(`Reporting-MTA: dns; mx.example.net\n\n${GONE}\n`).toString('base64');
    const raw = multipart('mixed', REPORT_FIELDS, [
      { type: 'text/plain', body: 'Sorry' },
      { type: 'message/global-delivery-status', body, encoding: 'base64' },
    ]);
    const bare = Buffer.from(deliveryStatus(GONE).toString().replaceAll('\r', ''));
    for (const message of [raw, bare]) {
      expect((await read(message)).reports).toMatchObject([{ fact: 'bounced', bounce: 'hard' }]);
    }
  });

  it('inside a forwarded message are ignored', async () => {
    const raw = multipart('mixed', { From: 'ada@example.com', 'Return-Path': '<ada@example.com>' }, [
      { type: 'text/plain', body: 'Look at this' },
      { type: 'message/rfc822', body: deliveryStatus(GONE).toString().replaceAll('part-of', 'inner') },
    ]);
    expect(await read(raw)).toEqual({ kind: 'other', reports: [] });
  });
});

describe('ARF (RFC 5965)', () => {
  it.each(['abuse', 'fraud', 'virus', 'other', 'Abuse', 'abuse (by the reader)'])('%s is a complaint', async (kind) => {
    const raw = feedbackReport(`Feedback-Type: ${kind}\nOriginal-Rcpt-To: <reader@example.com>`);
    expect(await read(raw)).toMatchObject({
      kind: 'feedback',
      reports: [{ fact: 'complained', address: 'reader@example.com' }],
    });
  });

  it('names the recipient by the address that the service removes, if it gives no other', async () => {
    const raw = feedbackReport('Feedback-Type: abuse\nRemoval-Recipient: <reader@example.com>');
    expect(await read(raw)).toMatchObject({ reports: [{ address: 'reader@example.com', fact: 'complained' }] });
  });

  it.each(['not-spam', 'auth-failure', 'dmarc', 'unheard-of'])('%s is stored in the timeline only', async (kind) => {
    const raw = feedbackReport(`Feedback-Type: ${kind}\nOriginal-Rcpt-To: reader@example.com`);
    expect((await read(raw)).reports).toMatchObject([{ fact: 'noted', reason: `Feedback report: ${kind}` }]);
  });

  it('may hide the recipient', async () => {
    const { reports } = await read(feedbackReport('Feedback-Type: abuse'));
    expect(reports).toMatchObject([{ fact: 'complained' }]);
    expect(reports[0]).not.toHaveProperty('address');
  });
});
