import { SesProvider, type SesOptions } from '../../../src/providers/ses/ses-provider.js';
import { sesError, SesStub } from '../../support/ses-stub.js';
import type { Bench } from '../bench.js';
import { httpBench, type HttpSteps } from '../http-bench.js';
import { toArrival } from '../mime-arrival.js';

/** The time of the provider's clock. */
const NOW = Date.parse('2026-03-04T05:06:07.000Z');
const KEY = { region: 'eu-west-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI' };

/** A provider with two connections at most. */
export function providerAt(url: string, changes: Partial<SesOptions> = {}): SesProvider {
  return new SesProvider({ ...KEY, url, maxConnections: 2, ...changes }, { now: () => NOW });
}

const steps: HttpSteps = {
  refused: sesError(400, 'MessageRejected', 'Email address is not verified. Identities: sender@example.test'),
  'try-later': sesError(503, 'ServiceUnavailable', 'Service unavailable'),
  'credential-refused': sesError(403, 'InvalidClientTokenId', 'The security token is invalid'),
  'cut-after-content': { fault: 'reset' },
  'silent-after-content': { fault: 'silence' },
  'drips-after-content': { fault: 'drip' },
};

/**
 * SES with its stub. Its messages are those that we send. Real ones have a Message-ID of SES, so no test here says
 * which one a recipient sees.
 */
export async function sesBench(): Promise<Bench> {
  const stub = await SesStub.listen();
  const arrivals = () => {
    const sent = stub.messages.map(({ content, body }) => ({ content, recipients: body.Destination.ToAddresses }));
    return Promise.all(sent.map(toArrival));
  };
  return httpBench(stub, { providerAt, steps, arrivals });
}
