import fc from 'fast-check';
import { MAX_READ_BYTES, readMailMessage } from '../../../../src/events/feedback/smtp/mail-message.js';
import { readNotification } from '../../../../src/events/feedback/smtp/read-notification.js';
import { deliveryStatus, feedbackReport, mail, REPORT_FIELDS } from './written-notifications.js';
import { processorTime } from '../../../support/processor-time.js';

const GONE =
  'Final-Recipient: rfc822; reader@example.net\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 x';

describe('any bytes in a notification', () => {
  const MEGABYTE = 1024 * 1024;

  it('never throw', async () => {
    const samples = [deliveryStatus(GONE), feedbackReport('Feedback-Type: abuse'), mail(REPORT_FIELDS, 'Gone 5.1.1')];
    const mutated = fc
      .tuple(fc.constantFrom(...samples), fc.nat(), fc.nat(400), fc.uint8Array({ maxLength: 40 }))
      .map(([sample, at, cut, added]) => {
        const start = at % sample.length;
        return Buffer.concat([sample.subarray(0, start), added, sample.subarray(start + cut)]);
      });
    const any = fc.oneof(
      mutated,
      fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(any, async (raw) => {
        const message = await readMailMessage(raw);
        if (!message) return;
        for (const report of readNotification(message, '').reports) {
          expect(report.fact).toEqual(expect.any(String));
          expect((report.address ?? '').length).toBeLessThanOrEqual(320);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['empty lines', '\n', 'Content-Type: text/plain\n\n'],
    ['parts', '--a\n\nx\n', 'Content-Type: multipart/mixed; boundary=a\n\n'],
    ['messages inside messages', 'Content-Type: message/rfc822\n\n', ''],
    ['header fields', 'a: b\n', ''],
    ['one header field', 'a@b,', 'To: '],
    ['one line of dashes', '-', `${mail({ From: 'mailer-daemon@mx.example.net' }).toString()}\n`],
    ['one line of spaces', ' ', 'Content-Type: message/delivery-status\n\nAction:'],
    ['recipients', 'Final-Recipient: rfc822; a@b\nAction: failed\n\n', 'Content-Type: message/delivery-status\n\n'],
    ['one field of blanks with a line separator', ' ', 'Content-Type: message/delivery-status\n\nAction:', '\u2028\n'],
  ])('are read in bounded time and memory: a megabyte of %s', async (_, repeated, start, end = '') => {
    // The end is in the part that is read, too.
    const content = start + repeated.repeat((MAX_READ_BYTES / repeated.length) * 0.9) + end;
    const raw = Buffer.from(content + repeated.repeat((MEGABYTE - content.length) / repeated.length));
    const spentMs = processorTime();
    const message = await readMailMessage(raw);
    const reports = message ? readNotification(message, '').reports : [];
    expect(reports.length).toBeLessThanOrEqual(200);
    // It takes milliseconds, but many seconds if a step takes quadratic time.
    expect(spentMs()).toBeLessThan(5_000);
  });
});
