import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { outgoingEmail } from '../../support/outgoing-email.js';
import { claimed, longDeadline } from '../bench.js';
import { providerAt } from './smtp-bench.js';

describe('SMTP with TLS', () => {
  // smtp-server has a self-signed certificate, which must not be trusted.
  it.each([
    ['from the start', 'smtps', { secure: true }],
    ['by STARTTLS', 'smtp', { secure: false }],
  ])('%s: sends nothing to a server without a trusted certificate', async (_, protocol, options) => {
    let received = 0;
    const silent = { info: () => 0, debug: () => 0, error: () => 0 } as never;
    const warning = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const server = new SMTPServer({
      ...options,
      authOptional: true,
      logger: silent,
      onMailFrom: (_address, _session, done) => (received++, done()),
      onData: (stream, _session, done) => stream.resume().on('end', () => done()),
    });
    warning.mockRestore();
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const provider = providerAt(`${protocol}://127.0.0.1:${port}`);
    const outcome = await provider.deliver(outgoingEmail(), longDeadline(), claimed);
    expect(outcome).toEqual({ kind: 'retry', reason: expect.stringMatching(/CERT/), unreachable: true });
    expect(received).toBe(0);
    await provider.close();
    await new Promise<void>((resolve) => server.close(resolve));
  });
});
