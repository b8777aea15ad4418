import { MailgunProvider } from '../../../src/providers/mailgun/mailgun-provider.js';
import { mailgunError, MailgunStub } from '../../support/mailgun-stub.js';
import type { ScriptedStep } from '../../support/scripted-responses.js';
import { listenSilently } from '../../support/silent-server.js';
import type { Bench, Situation } from '../bench.js';
import { toArrival } from '../smtp/smtp-bench.js';

/** The time of the provider's clock. */
export const NOW = Date.parse('2026-03-04T05:06:07.000Z');
const clock = { now: () => NOW };

/** A provider with two connections at most. */
export function providerAt(url: string, apiKey = 'key-1'): MailgunProvider {
  return new MailgunProvider({ apiKey, domain: 'mg.example.test', url, maxConnections: 2 }, clock);
}

const steps: Record<Exclude<Situation, 'silent-before-content'>, ScriptedStep> = {
  refused: mailgunError(400, "'from' parameter is not a valid address. please check documentation"),
  // No status says "later" for certain, except one that Mailgun no longer documents.
  'try-later': mailgunError(402, 'Request failed'),
  'credential-refused': { status: 401, body: 'Forbidden' },
  'cut-after-content': { fault: 'reset' },
  'silent-after-content': { fault: 'silence' },
  'drips-after-content': { fault: 'drip' },
};

/** Mailgun with its stub. */
export async function mailgunBench(): Promise<Bench> {
  const stub = await MailgunStub.listen();
  const deaf = await listenSilently();
  const ordinary = providerAt(stub.url);
  // Over TLS no part of the request is sent before the handshake, which simulates silence before the content.
  const handshaking = providerAt(`https://127.0.0.1:${deaf.port}`);
  let current = ordinary;
  return {
    provider: {
      name: 'mailgun',
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
    arrivals: () => Promise.all(stub.messages.map(toArrival)),
    contacts: () => stub.requests.length,
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
