import { simpleParser, type AddressObject } from 'mailparser';
import type { Mailbox } from '../../src/providers/provider.js';
import type { Arrival } from './bench.js';

function mailboxes(field: AddressObject | AddressObject[] | undefined): Mailbox[] {
  const objects = field === undefined ? [] : Array.isArray(field) ? field : [field];
  const people = objects.flatMap(({ value }) => value);
  return people.map(({ address = '', name }) => ({ address, ...(name && { name }) }));
}

/** A message and its envelope recipients as they arrived. */
export async function toArrival({
  content,
  recipients,
}: {
  readonly content: string | Buffer;
  readonly recipients: readonly string[];
}): Promise<Arrival> {
  const mail = await simpleParser(content, { skipTextToHtml: true, skipHtmlToText: true, skipImageLinks: true });
  const [from = { address: '' }] = mailboxes(mail.from);
  const [replyTo] = mailboxes(mail.replyTo);
  return {
    raw: content.toString('latin1'),
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
