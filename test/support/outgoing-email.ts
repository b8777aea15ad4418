import type { OutgoingEmail } from '../../src/providers/provider.js';

let made = 0;

/** An email that any provider takes, with an id of its own; `changes` replaces parts of it. */
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
  const everybody = [...email.to, ...email.cc, ...email.bcc].map(({ address }) => address);
  return { envelopeRecipients: everybody, ...email };
}
