import { createServer, type AddressInfo } from 'node:net';
import { SmtpProvider } from '../../../src/providers/smtp/smtp-provider.js';
import { SmtpStub, type SmtpStep } from '../../support/smtp-stub.js';
import type { Bench, Situation } from '../bench.js';
import { toArrival } from '../mime-arrival.js';

/** A provider with two connections at most. */
export function providerAt(url: string): SmtpProvider {
  return new SmtpProvider({ url, maxConnections: 2 });
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
    connectionsMade: () => stub.connectionsMade,
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
