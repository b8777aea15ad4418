import { randomBytes } from 'node:crypto';
import { UnreadableAttachmentError, type DeliveryOutcome, type OutgoingEmail } from '../../src/providers/provider.js';
import { outgoingAttachment, outgoingEmail } from '../support/outgoing-email.js';
import { claimed, longDeadline, type Bench } from './bench.js';

/** A busy machine takes more than ten seconds for twenty megabytes. */
const LARGE_MS = 120_000;

/** Tests of attachments that every provider must pass. */
export function describeAttachments(theBench: () => Bench): void {
  const deliver = (email: OutgoingEmail, deadline = longDeadline()): Promise<DeliveryOutcome> =>
    theBench().provider.deliver(email, deadline, claimed);

  describe('a message with attachments', () => {
    it('carries attachments byte for byte, under their names and types', async () => {
      const files = [
        { filename: 'Rechnung “März” 山田 🎉.pdf', contentType: 'application/pdf', bytes: randomBytes(100_001) },
        {
          filename: 'a "quoted", long name '.repeat(9).trim(),
          contentType: 'text/plain',
          bytes: Buffer.from('a\n.\nb\r\n'),
        },
        { filename: 'one byte', contentType: 'application/octet-stream', bytes: Buffer.from([0]) },
      ];
      const attachments = files.map(({ bytes, ...names }) => outgoingAttachment(bytes, names));
      expect((await deliver(outgoingEmail({ attachments }))).kind).toBe('accepted');
      const [arrival] = await theBench().arrivals();
      expect(arrival).toMatchObject({ html: '<p>Hello</p>', text: 'Hello' });
      expect(arrival?.attachments).toEqual(
        files.map((file) => ({ ...file, disposition: 'attachment', contentId: null })),
      );
    });

    it('is a bounce if its attachments are those of one', async () => {
      const types = ['message/delivery-status', 'message/rfc822'] as const;
      const status = 'Reporting-MTA: dns; mx.example\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n';
      const returned = `Subject: Hello\r\n\r\n.\r\n${'Hi. '.repeat(200)}\r\n`.repeat(100);
      const files = [
        { filename: 'status.txt', contentType: types[0], bytes: Buffer.from(status) },
        { filename: 'returned.eml', contentType: types[1], bytes: Buffer.from(returned) },
      ];
      const attachments = files.map(({ bytes, ...names }) => outgoingAttachment(bytes, names));
      expect((await deliver(outgoingEmail({ attachments }))).kind).toBe('accepted');
      const [arrival] = await theBench().arrivals();
      const { bounceTypes } = theBench();
      if (bounceTypes) {
        const arrived = files.map((file, at) => ({ ...file, contentType: bounceTypes[at] }));
        expect(arrival?.attachments).toMatchObject(arrived);
        return;
      }
      expect(arrival?.headers.get('content-type')).toMatch(/^multipart\/report;.*report-type=delivery-status/);
      const parts = arrival!.raw!.split(/\r\n--[^\r\n]+\r\n/).slice(-3, -1);
      expect(parts).toEqual(
        files.map(({ filename, contentType, bytes }) =>
          [
            `Content-Type: ${contentType}; name=${filename}`,
            'Content-Transfer-Encoding: 7bit',
            `Content-Disposition: inline; filename=${filename}`,
            `\r\n${bytes.toString()}`,
          ].join('\r\n'),
        ),
      );
    });

    it('may have an empty file, which has a line feed where a provider refuses files without content', async () => {
      const attachments = [
        outgoingAttachment(Buffer.from('x')),
        outgoingAttachment(Buffer.alloc(0), { filename: 'b' }),
      ];
      expect((await deliver(outgoingEmail({ attachments }))).kind).toBe('accepted');
      const [, empty] = (await theBench().arrivals())[0]!.attachments;
      expect(empty).toMatchObject({ filename: 'b', bytes: Buffer.from(theBench().emptyFile ?? '') });
    });

    it('shows inline images at their positions in the HTML', async () => {
      const bytes = randomBytes(3_000);
      const image = { filename: 'logo.png', contentType: 'image/png', contentId: 'logo@acme' };
      const html = '<p><img src="cid:logo@acme"></p>';
      await deliver(outgoingEmail({ html, attachments: [outgoingAttachment(bytes, image)] }));
      const [arrival] = await theBench().arrivals();
      expect(arrival).toMatchObject({ html, attachments: [{ ...image, disposition: 'inline', bytes }] });
    });

    it('arrives with twenty megabytes of attachments', async () => {
      const bytes = randomBytes(20 * 1024 * 1024);
      const email = outgoingEmail({ attachments: [outgoingAttachment(bytes)] });
      expect((await deliver(email, longDeadline(LARGE_MS))).kind).toBe('accepted');
      expect((await theBench().arrivals())[0]?.attachments[0]?.bytes.equals(bytes)).toBe(true);
    });

    it.each([0, 1, 500_000])('is not sent if an attachment cannot be read after %i bytes', async (readable) => {
      const whole = outgoingAttachment(randomBytes(600_000));
      const read = async function* (): AsyncGenerator<Buffer> {
        let bytes = 0;
        for await (const piece of whole.read()) {
          if ((bytes += piece.length) > readable) throw new UnreadableAttachmentError();
          yield piece;
        }
      };
      let completed = 0;
      const handOver = (): Promise<boolean> => Promise.resolve(++completed > 0);
      const email = outgoingEmail({ attachments: [{ ...whole, read }] });
      const outcome = await theBench().provider.deliver(email, longDeadline(), handOver);
      expect(outcome).toEqual({ kind: 'retry', reason: expect.stringMatching(/^An attachment could not be read/) });
      expect([completed, (await theBench().arrivals()).length]).toEqual([0, 0]);
      expect((await deliver(outgoingEmail())).kind).toBe('accepted');
    });
  });
}
