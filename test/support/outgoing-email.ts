import type { OutgoingAttachment, OutgoingEmail } from '../../src/providers/provider.js';

let made = 0;

/** An email that every provider accepts, with a new ID. `changes` replaces fields of it. */
export function outgoingEmail(changes: Partial<OutgoingEmail> = {}): OutgoingEmail {
  made += 1;
  const email = {
    emailId: `email-${process.pid}-${made}`,
    attempt: 1,
    messageId: `email-${process.pid}-${made}@mail.example.test`,
    date: new Date('2026-03-04T05:06:07.000Z'),
    from: { address: 'sender@example.test', name: 'Sender' },
    to: [{ address: 'reader@example.test', name: 'Reader' }],
    cc: [],
    bcc: [],
    subject: 'A subject',
    html: '<p>Hello</p>',
    text: 'Hello',
    ...changes,
  };
  const recipients = [...email.to, ...email.cc, ...email.bcc].map(({ address }) => address);
  return { envelopeRecipients: recipients, ...email };
}

/** An attachment whose content arrives in chunks of odd lengths. */
export function outgoingAttachment(bytes: Buffer, changes: Partial<OutgoingAttachment> = {}): OutgoingAttachment {
  const read = async function* (): AsyncGenerator<Buffer> {
    for (let from = 0, length = 1; from < bytes.length; from += length, length = (length * 7) % 65_537) {
      await Promise.resolve();
      yield bytes.subarray(from, from + length);
    }
  };
  const { length: size } = bytes;
  return { filename: 'file.bin', contentType: 'application/octet-stream', contentId: null, size, read, ...changes };
}
