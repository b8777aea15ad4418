import type { Mailbox } from '../../../src/providers/provider.js';
import { SendGridProvider } from '../../../src/providers/sendgrid/sendgrid-provider.js';
import {
  errorAnswer,
  SendGridStub,
  type Addressee,
  type SendGridRequest,
  type SendGridStep,
} from '../../support/sendgrid-stub.js';
import { listenSilently } from '../../support/silent-server.js';
import type { Arrival, Bench, Situation } from '../bench.js';

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

const steps: Record<Exclude<Situation, 'silent-before-content'>, SendGridStep> = {
  refused: errorAnswer(400, 'The from address does not match a verified Sender Identity', 'from'),
  'try-later': errorAnswer(503, 'Service unavailable'),
  'credential-refused': errorAnswer(401, 'The provided authorization grant is invalid'),
  'cut-after-content': { fault: 'reset' },
  'silent-after-content': { fault: 'silence' },
  'drips-after-content': { fault: 'drip' },
};

/** SendGrid with its stub. */
export async function sendGridBench(): Promise<Bench> {
  const stub = await SendGridStub.listen();
  const deaf = await listenSilently();
  const ordinary = providerAt(stub.url);
  // Over TLS no part of the request is sent before the handshake, which simulates silence before the content.
  const handshaking = providerAt(`https://127.0.0.1:${deaf.port}`);
  let current = ordinary;
  return {
    provider: {
      name: 'sendgrid',
      deliver: (...delivery) => current.deliver(...delivery),
      close: async () => void (await Promise.all([ordinary.close(), handshaking.close()])),
    },
    arrange: (situation, { emailId }) => {
      if (situation === 'silent-before-content') current = handshaking;
      else stub.scripts.add(emailId, steps[situation]);
    },
    relent: () => {
      current = ordinary;
      stub.scripts.clear();
    },
    arrivals: () => Promise.resolve(stub.messages.map(toArrival)),
    contacts: () => stub.requests.length,
    recipientName: (name) => name.replace(/[,;] ?/g, ' '),
    situations: () => stub.scripts.played + deaf.sockets.size,
    openConnections: () => stub.openConnections + deaf.sockets.size,
    unreachable: async () => {
      const gone = await listenSilently();
      await gone.close();
      return providerAt(`http://127.0.0.1:${gone.port}`);
    },
    close: async () => {
      await Promise.all([ordinary.close(), handshaking.close()]);
      await Promise.all([stub.close(), deaf.close()]);
    },
  };
}
