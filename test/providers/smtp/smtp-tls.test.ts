import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { GuardedSockets } from '../../../src/platform/outbound-http/guarded-sockets.js';
import { SmtpProvider } from '../../../src/providers/smtp/smtp-provider.js';
import { outgoingEmail } from '../../support/outgoing-email.js';
import { claimed, longDeadline } from '../bench.js';
import { providerAt } from './smtp-bench.js';

/** A server with a self-signed certificate, which counts senders. */
async function tlsServer(options: { readonly secure: boolean }) {
  const counts = { received: 0, secured: 0 };
  const silent = { info: () => 0, debug: () => 0, error: () => 0 } as never;
  const warning = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const server = new SMTPServer({
    ...options,
    authOptional: true,
    logger: silent,
    onMailFrom: (_address, session, done) => {
      counts.received += 1;
      if (session.secure) counts.secured += 1;
      done();
    },
    onData: (stream, _session, done) => stream.resume().on('end', () => done()),
  });
  warning.mockRestore();
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return { counts, port, close: () => new Promise<void>((resolve) => server.close(resolve)) };
}

const MODES = [
  ['from the start', 'smtps', { secure: true }],
  ['by STARTTLS', 'smtp', { secure: false }],
] as const;

describe('SMTP with TLS', () => {
  // smtp-server has a self-signed certificate, which must not be trusted.
  it.each(MODES)('%s: sends nothing to a server without a trusted certificate', async (_, protocol, options) => {
    const server = await tlsServer(options);
    const provider = providerAt(`${protocol}://127.0.0.1:${server.port}`);
    const outcome = await provider.deliver(outgoingEmail(), longDeadline(), claimed);
    expect(outcome).toEqual({ kind: 'retry', reason: expect.stringMatching(/CERT/), unreachable: true });
    expect(server.counts.received).toBe(0);
    await provider.close();
    await server.close();
  });

  it.each(MODES)('%s: also over connections that were checked before', async (_, protocol, options) => {
    const server = await tlsServer(options);
    const url = `${protocol}://127.0.0.1:${server.port}?tls.rejectUnauthorized=false`;
    const policy = { allowPrivateAddresses: true, allowHttp: true, ownHost: 'track.example.com' };
    const sockets = new GuardedSockets(policy, () => Promise.resolve(['127.0.0.1']));
    const provider = new SmtpProvider({ url, maxConnections: 2, sockets });
    const outcome = await provider.deliver(outgoingEmail(), longDeadline(), claimed);
    expect(outcome).toMatchObject({ kind: 'accepted' });
    expect(server.counts).toEqual({ received: 1, secured: 1 });
    await provider.close();
    await server.close();
  });

  it('sends nothing to a server at a private address that an organization chose', async () => {
    const server = await tlsServer({ secure: false });
    const policy = { allowPrivateAddresses: false, allowHttp: true, ownHost: 'track.example.com' };
    const sockets = new GuardedSockets(policy, () => Promise.resolve(['127.0.0.1']));
    for (const url of ['smtp://127.0.0.1:587', 'smtp://mail.example.com:587']) {
      const provider = new SmtpProvider({ url, maxConnections: 2, sockets });
      const outcome = await provider.deliver(outgoingEmail(), longDeadline(), claimed);
      expect(outcome).toEqual({ kind: 'retry', reason: expect.stringMatching(/private/), unreachable: true });
      await provider.close();
    }
    await server.close();
  });
});
