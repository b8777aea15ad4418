import type { Mailbox } from '../../../src/providers/provider.js';
import { SendGridProvider } from '../../../src/providers/sendgrid/sendgrid-provider.js';
import { sendGridError, SendGridStub, type Addressee, type SendGridRequest } from '../../support/sendgrid-stub.js';
import type { Arrival, Bench } from '../bench.js';
import { httpBench, type HttpSteps } from '../http-bench.js';

/** The time of the provider's clock. */
export const NOW = Date.parse('2026-03-04T05:06:07.000Z');
const clock = { now: () => NOW };

/** A provider with two connections at most. */
export function providerAt(url: string, apiKey = 'SG.key'): SendGridProvider {
  return new SendGridProvider({ apiKey, url, maxConnections: 2 }, clock);
}

const toMailbox = ({ email, name }: Addressee): Mailbox => ({ address: email, ...(name && { name }) });

function toArrival({ body }: SendGridRequest): Arrival {
  const { to = [], cc = [], bcc = [] } = body.personalizations[0] ?? {};
  return {
    messageId: body.headers?.['Message-ID']?.replace(/^<|>$/g, '') ?? '',
    from: toMailbox(body.from),
    ...(body.reply_to && { replyTo: toMailbox(body.reply_to) }),
    to: to.map(toMailbox),
    cc: cc.map(toMailbox),
    recipients: [...to, ...cc, ...bcc].map(({ email }) => email),
    subject: body.subject,
    text: body.content.find(({ type }) => type === 'text/plain')?.value ?? '',
    html: body.content.find(({ type }) => type === 'text/html')?.value ?? '',
    attachments: (body.attachments ?? []).map(
      ({ content, filename, type, disposition, content_id: contentId = null }) => {
        return { filename, contentType: type, disposition, contentId, bytes: Buffer.from(content, 'base64') };
      },
    ),
    headers: new Map(Object.entries(body.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
  };
}

const steps: HttpSteps = {
  refused: sendGridError(400, 'The from address does not match a verified Sender Identity', 'from'),
  'try-later': sendGridError(503, 'Service unavailable'),
  'credential-refused': sendGridError(401, 'The provided authorization grant is invalid'),
  'cut-after-content': { fault: 'reset' },
  'silent-after-content': { fault: 'silence' },
  'drips-after-content': { fault: 'drip' },
};

/** SendGrid with its stub. */
export async function sendGridBench(): Promise<Bench> {
  const stub = await SendGridStub.listen();
  const arrivals = () => Promise.resolve(stub.messages.map(toArrival));
  const recipientName = (name: string) => name.replace(/[,;] ?/g, ' ');
  return httpBench(stub, {
    providerAt,
    steps,
    arrivals,
    others: { recipientName, bounceTypes: ['text/plain', 'application/octet-stream'], emptyFile: '\n' },
  });
}
