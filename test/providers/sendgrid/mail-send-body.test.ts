import { batchBody } from '../../../src/providers/sendgrid/batch-body.js';
import { toMailSendBody } from '../../../src/providers/sendgrid/mail-send-body.js';
import { outgoingEmail } from '../../support/outgoing-email.js';

const mailbox = (address: string, name: string) => ({ address: `${address}@example.test`, name });
const from = mailbox('sender', 'Acme, Inc.');

it('gives recipients no name that SendGrid would read as addresses', () => {
  const email = outgoingEmail({
    from,
    to: [mailbox('a', 'Lovelace, Ada'), mailbox('b', 'eve@example.test;Bob')],
    cc: [mailbox('c', ',;')],
    bcc: [mailbox('d', 'Doe , Jane; PhD')],
  });
  expect(toMailSendBody(email)).toMatchObject({
    from: { email: 'sender@example.test', name: 'Acme, Inc.' },
    personalizations: [
      {
        to: [
          { email: 'a@example.test', name: 'Lovelace Ada' },
          { email: 'b@example.test', name: 'eve@example.test Bob' },
        ],
        cc: [{ email: 'c@example.test' }],
        bcc: [{ email: 'd@example.test', name: 'Doe Jane PhD' }],
      },
    ],
  });
});

it('does the same for the emails of one call', () => {
  const { emailId, attempt, messageId, subject } = outgoingEmail();
  const message = { organizationId: 'o', from, html: '<p>Hello</p>', text: 'Hello', tags: [] };
  const recipient = { emailId, attempt, messageId, subject, unsubscribeUrl: 'https://t.example/u', values: [] };
  const body = batchBody(message, [{ ...recipient, to: mailbox('a', 'Lovelace, Ada') }]);
  expect(JSON.parse(body)).toMatchObject({
    from: { name: 'Acme, Inc.' },
    personalizations: [{ to: [{ email: 'a@example.test', name: 'Lovelace Ada' }] }],
  });
});
