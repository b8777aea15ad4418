import addressparser from 'nodemailer/lib/addressparser';
import { PostmarkProvider } from '../../../src/providers/postmark/postmark-provider.js';
import type { Mailbox } from '../../../src/providers/provider.js';
import { postmarkError, PostmarkStub, type PostmarkBody } from '../../support/postmark-stub.js';
import type { Arrival, Bench } from '../bench.js';
import { httpBench, type HttpSteps } from '../http-bench.js';

/** The time of the provider's clock. */
export const NOW = Date.parse('2026-03-04T05:06:07.000Z');
const clock = { now: () => NOW };

/** A provider with two connections at most. */
export function providerAt(
  url: string,
  credentials: { serverToken: string; messageStream?: string } = { serverToken: 'token-1' },
): PostmarkProvider {
  return new PostmarkProvider({ ...credentials, url, maxConnections: 2 }, clock);
}

/** Reads a list as a parser of RFC 5322 does: it tells whether commas and quotes in names survive. */
function mailboxesOf(list = ''): Mailbox[] {
  return addressparser(list, { flatten: true }).map(({ address, name }) => ({ address, ...(name && { name }) }));
}

export function toArrival(body: PostmarkBody): Arrival {
  const headers = new Map(body.Headers.map(({ Name, Value }) => [Name.toLowerCase(), Value]));
  const [to, cc, bcc] = [body.To, body.Cc, body.Bcc].map(mailboxesOf) as [Mailbox[], Mailbox[], Mailbox[]];
  const [replyTo] = mailboxesOf(body.ReplyTo);
  return {
    // Postmark replaces the ID without the other header.
    messageId: headers.get('x-pm-keepid') === 'true' ? headers.get('message-id')!.replace(/^<|>$/g, '') : '',
    from: mailboxesOf(body.From)[0]!,
    ...(replyTo && { replyTo }),
    to,
    cc,
    recipients: [...to, ...cc, ...bcc].map(({ address }) => address),
    subject: body.Subject,
    text: body.TextBody ?? '',
    html: body.HtmlBody ?? '',
    headers,
    attachments: (body.Attachments ?? []).map(({ Name, Content, ContentType, ContentID }) => ({
      filename: Name,
      contentType: ContentType,
      disposition: ContentID === undefined ? 'attachment' : 'inline',
      contentId: ContentID?.replace(/^cid:/, '') ?? null,
      bytes: Buffer.from(Content, 'base64'),
    })),
  };
}

const steps: HttpSteps = {
  refused: postmarkError(422, 300, "Invalid 'To' address: 'reader@example.test'."),
  'try-later': postmarkError(503, 100, 'The Postmark API is offline for maintenance.'),
  'credential-refused': postmarkError(401, 10, 'Request does not contain a valid Server token.'),
  'cut-after-content': { fault: 'reset' },
  'silent-after-content': { fault: 'silence' },
  'drips-after-content': { fault: 'drip' },
};

/** Postmark with its stub. */
export async function postmarkBench(): Promise<Bench> {
  const stub = await PostmarkStub.listen();
  const arrivals = () => Promise.resolve(stub.messages.map(toArrival));
  return httpBench(stub, {
    providerAt: (url) => providerAt(url),
    steps,
    arrivals,
    others: { bounceTypes: ['text/plain', 'application/octet-stream'], emptyFile: '\n' },
  });
}
