import { MailgunProvider } from '../../../src/providers/mailgun/mailgun-provider.js';
import { mailgunError, MailgunStub } from '../../support/mailgun-stub.js';
import type { Bench } from '../bench.js';
import { httpBench, type HttpSteps } from '../http-bench.js';
import { toArrival } from '../mime-arrival.js';

/** The time of the provider's clock. */
export const NOW = Date.parse('2026-03-04T05:06:07.000Z');
const clock = { now: () => NOW };

/** A provider with two connections at most. */
export function providerAt(url: string, apiKey = 'key-1'): MailgunProvider {
  return new MailgunProvider({ apiKey, domain: 'mg.example.test', url, maxConnections: 2 }, clock);
}

const steps: HttpSteps = {
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
  const arrivals = () => Promise.all(stub.messages.map(toArrival));
  return httpBench(stub, { providerAt, steps, arrivals });
}
