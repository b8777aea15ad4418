import { createServer, type AddressInfo } from 'node:net';
import { simpleParser, type AddressObject } from 'mailparser';
import type { Mailbox } from '../../../src/providers/provider.js';
import { SmtpProvider } from '../../../src/providers/smtp/smtp-provider.js';
import { SmtpStub, type SmtpMessage, type SmtpStep } from '../../support/smtp-stub.js';
import type { Arrival, Bench, Situation } from '../bench.js';

/** A provider with two connections at most. */
export function providerAt(url: string): SmtpProvider {
  return new SmtpProvider({ url, maxConnections: 2 });
}

function mailboxes(field: AddressObject | AddressObject[] | undefined): Mailbox[] {
  const objects = field === undefined ? [] : Array.isArray(field) ? field : [field];
  const people = objects.flatMap(({ value }) => value);
  return people.map(({ address = '', name }) => ({ address, ...(name && { name }) }));
}

/** Decodes a message as a mail program does. */
export async function toArrival({
  content,
  recipients,
}: Pick<SmtpMessage, 'content' | 'recipients'>): Promise<Arrival> {
  const mail = await simpleParser(content, { skipTextToHtml: true, skipHtmlToText: true, skipImageLinks: true });
  const [from = { address: '' }] = mailboxes(mail.from);
  const [replyTo] = mailboxes(mail.replyTo);
  return {
    messageId: mail.messageId?.replace(/^<|>$/g, '') ?? '',
    from,
    ...(replyTo && { replyTo }),
    to: mailboxes(mail.to),
    cc: mailboxes(mail.cc),
    recipients,
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html || '',
    attachments: mail.attachments.map(
      ({ filename = '', contentType, contentDisposition = '', cid = null, content }) => {
        return { filename, contentType, disposition: contentDisposition, contentId: cid, bytes: content };
      },
    ),
    headers: new Map(mail.headerLines.map(({ key, line }) => [key, unfolded(line)])),
  };
}

/** The value of a header field (RFC 5322, 2.2.3). */
function unfolded(line: string): string {
  return line
    .slice(line.indexOf(':') + 1)
    .replace(/\r?\n/g, '')
    .trim();
}

const steps: Record<Situation, SmtpStep> = {
  refused: { phase: 'dot', reply: '550 5.7.1 Not wanted here' },
  'try-later': { phase: 'dot', reply: '451 4.3.0 Try again later' },
  'credential-refused': { phase: 'auth', reply: '535 5.7.8 Bad credentials' },
  'cut-after-content': { phase: 'dot', fault: 'drop' },
  'silent-after-content': { phase: 'dot', fault: 'silence' },
  'drips-after-content': { phase: 'dot', fault: 'drip' },
  'silent-before-content': { phase: 'data', fault: 'silence' },
};

/** SMTP with its stub. */
export async function smtpBench(): Promise<Bench> {
  const stub = await SmtpStub.listen();
  stub.credentials = { user: 'mailer', pass: 'secret' };
  const provider = providerAt(stub.url);
  return {
    provider,
    arrange: (situation, email) => {
      // Before the content the server knows only an address, and before the address nothing.
      const keys = situation === 'credential-refused' ? ['*'] : [email.emailId, email.from.address];
      for (const key of keys) stub.scripts.add(key, steps[situation]);
    },
    relent: () => stub.scripts.clear(),
    arrivals: () => Promise.all(stub.messages.map(toArrival)),
    contacts: () => stub.received.length,
    situations: () => stub.scripts.played,
    openConnections: () => stub.openConnections,
    unreachable: async () => {
      const gone = createServer();
      await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
      const { port } = gone.address() as AddressInfo;
      await new Promise((resolve) => gone.close(resolve));
      return providerAt(`smtp://127.0.0.1:${port}`);
    },
    close: async () => {
      await provider.close();
      await stub.close();
    },
  };
}
