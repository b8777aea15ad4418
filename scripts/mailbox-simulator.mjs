import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import nodemailer from 'nodemailer';

/**
 * Simulates the mail servers of recipients: responds to mail to some addresses as those servers would, by SMTP to the
 * envelope sender of the mail. The address may carry a label after a plus sign, as in bounce+monday@simulator.example.
 *
 *     bounce@      the mailbox does not exist: a delivery status notification (RFC 3464) with 5.1.1, a hard bounce
 *     full@        the mailbox is full: one with 4.2.2, a soft bounce
 *     delivered@   the mail is in the mailbox: one that reports the delivery
 *     complaint@   the recipient reports it as spam: an abuse report (RFC 5965)
 */
const ADDRESS = /^(bounce|full|delivered|complaint)(?:\+[^@]*)?@simulator\.example$/i;
const SERVER = 'simulator.example';
const STATUSES = {
  bounce: { action: 'failed', status: '5.1.1', diagnostic: '550 5.1.1 No such mailbox here' },
  full: { action: 'failed', status: '4.2.2', diagnostic: '452 4.2.2 The mailbox is full' },
  delivered: { action: 'delivered', status: '2.0.0', diagnostic: '250 2.0.0 Delivered to the mailbox' },
};
/** The service may take a while to start before it listens for bounces. */
const ATTEMPTS = 20;
const RETRY_MS = 500;

/**
 * Sends the reports of a mail's recipients' servers. Resolves without a report if no process listens.
 * @param envelope with the addresses of the SMTP transaction
 * @param source file of the mail
 * @param portFile file with the port of the listener for bounces on this machine; it exists while that runs
 */
export async function reportOn({ envelope, source }, portFile) {
  const sender = envelope.from.address;
  if (!sender) return; // no server reports on a report
  for (const { address } of envelope.to) {
    const kind = ADDRESS.exec(address)?.[1].toLowerCase();
    if (kind === undefined) continue;
    const header = headerOf(await readFile(source, 'utf8'));
    const returned = { sender, address, header };
    const raw = kind === 'complaint' ? abuseReport(returned) : statusNotification(returned, STATUSES[kind]);
    await deliver({ envelope: { from: '', to: sender }, raw }, portFile);
  }
}

async function deliver(message, portFile) {
  for (let attempt = 1; ; attempt++) {
    try {
      const port = Number(await readFile(portFile, 'utf8'));
      const transport = nodemailer.createTransport({ host: '127.0.0.1', port, ignoreTLS: true, name: SERVER });
      await transport.sendMail(message);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || error.responseCode >= 500) {
        console.error(`Could not report to ${message.envelope.to}: ${error.message}`);
        return;
      }
    }
    await delay(RETRY_MS);
  }
}

function statusNotification({ sender, address, header }, { action, status, diagnostic }) {
  return report('delivery-status', { sender, subject: 'Delivery Status Notification', header }, [
    `This is the mail server of ${SERVER}. About your message to ${address}: ${diagnostic}`,
    [
      `Reporting-MTA: dns; ${SERVER}`,
      '',
      `Original-Recipient: rfc822; ${address}`,
      `Final-Recipient: rfc822; ${address}`,
      `Action: ${action}`,
      `Status: ${status}`,
      `Diagnostic-Code: smtp; ${diagnostic}`,
    ],
  ]);
}

function abuseReport({ sender, address, header }) {
  return report('feedback-report', { sender, subject: 'Abuse report', header }, [
    `A reader at ${SERVER} reported your message as spam.`,
    [
      'Feedback-Type: abuse',
      'User-Agent: Simulator/1',
      'Version: 1',
      `Original-Mail-From: <${sender}>`,
      `Original-Rcpt-To: <${address}>`,
      `Arrival-Date: ${new Date().toUTCString()}`,
    ],
  ]);
}

/** A multipart/report (RFC 6522): a text for people, fields for programs, and the header of the returned mail. */
function report(type, { sender, subject, header }, [text, fields]) {
  const boundary = randomUUID();
  const part = (contentType, content) => [`--${boundary}`, `Content-Type: ${contentType}`, '', content];
  return [
    `From: Mail Delivery System <mailer-daemon@${SERVER}>`,
    `To: <${sender}>`,
    `Subject: ${subject}`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${randomUUID()}@${SERVER}>`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${type}; boundary="${boundary}"`,
    '',
    ...part('text/plain; charset=utf-8', text),
    ...part(`message/${type}`, fields.join('\r\n')),
    ...part('text/rfc822-headers', header),
    `--${boundary}--`,
    '',
  ].join('\r\n');
}

function headerOf(source) {
  return source.split(/\r?\n\r?\n/, 1)[0];
}
