import { ResendProvider } from '../../../src/providers/resend/resend-provider.js';
import { addressesOf, resendError, ResendStub, type ResendRequest } from '../../support/resend-stub.js';
import type { Arrival, Bench } from '../bench.js';
import { httpBench, type HttpSteps } from '../http-bench.js';
import { toArrival as arrivalOf } from '../mime-arrival.js';

/** The time of the provider's clock. */
export const NOW = Date.parse('2026-03-04T05:06:07.000Z');
const clock = { now: () => NOW };

/** A provider with two connections at most. */
export function providerAt(url: string, apiKey = 're_key'): ResendProvider {
  return new ResendProvider({ apiKey, url, maxConnections: 2 }, clock);
}

const steps: HttpSteps = {
  refused: resendError(403, 'validation_error', 'The example.test domain is not verified. Please, add and verify it'),
  // No status says "later" for certain, except one that is not from Resend.
  'try-later': { status: 307 },
  'credential-refused': resendError(401, 'validation_error', 'API key is invalid'),
  'cut-after-content': { fault: 'reset' },
  'silent-after-content': { fault: 'silence' },
  'drips-after-content': { fault: 'drip' },
};

/** Recipients as a mail program decodes them. The sender's name is Unicode, which Resend encodes. */
async function toArrival({ body }: ResendRequest): Promise<Arrival> {
  const { from, to, cc = [], reply_to: replyTo = [], headers } = body;
  const fields = Object.entries({ To: to, Cc: cc, 'Reply-To': replyTo }).filter(([, list]) => list.length > 0);
  const head = fields.map(([name, list]) => `${name}: ${list.join(', ')}\r\n`).join('');
  const decoded = await arrivalOf({ content: `${head}\r\n`, recipients: addressesOf(body) });
  const [, name, address = from] = /^(.+) <(.+)>$/.exec(from) ?? [];
  return {
    ...decoded,
    messageId: headers['Message-ID']?.replace(/^<|>$/g, '') ?? '',
    from: { address, ...(name !== undefined && { name }) },
    subject: body.subject,
    text: body.text ?? '',
    html: body.html ?? '',
    attachments: (body.attachments ?? []).map(
      ({ filename, content, content_type: contentType = '', content_id: contentId = null }) => {
        const disposition = contentId === null ? 'attachment' : 'inline';
        return { filename, contentType, disposition, contentId, bytes: Buffer.from(content, 'base64') };
      },
    ),
    headers: new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
}

/**
 * Resend with its stub. Its messages are those that we describe. Real ones have a Message-ID of Resend, so no test here
 * says which one a recipient sees.
 */
export async function resendBench(): Promise<Bench> {
  const stub = await ResendStub.listen();
  const arrivals = () => Promise.all(stub.messages.map(toArrival));
  const senderName = (name: string) => name.replace(/[\s()<>[\]:;@\\,"=]+/g, ' ').trim();
  return httpBench(stub, {
    providerAt,
    steps,
    arrivals,
    others: { senderName, bounceTypes: ['text/plain', ''], emptyFile: '\n', sendsOnce: true },
  });
}
