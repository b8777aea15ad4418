import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { SmtpProvider } from '../../../src/providers/smtp/smtp-provider.js';
import { outgoingEmail } from '../../support/outgoing-email.js';
import { SmtpStub } from '../../support/smtp-stub.js';
import { claimed, longDeadline } from '../bench.js';

const MB = 1024 * 1024;
/** More than the buffers of two sockets hold. */
const FLOOD = 32 * MB;

describe('a server that sends empty lines without end', () => {
  let server: Server;
  let sent = 0;

  beforeAll(async () => {
    const lines = Buffer.alloc(64 * 1024, '\n');
    const flood = (socket: Socket): void => {
      while (sent < FLOOD && !socket.destroyed) {
        sent += lines.length;
        if (!socket.write(lines)) return;
      }
    };
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('drain', () => flood(socket));
      flood(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('loses its connection, and the email is retried', async () => {
    const { port } = server.address() as AddressInfo;
    const provider = new SmtpProvider({ url: `smtp://127.0.0.1:${port}`, maxConnections: 1 });
    const outcome = await provider.deliver(outgoingEmail(), AbortSignal.timeout(30_000), claimed);
    expect(outcome).toMatchObject({ kind: 'retry', reason: expect.stringContaining('EPROTOCOL') });
    expect(sent).toBeLessThan(FLOOD);
    await provider.close();
  });
});

it('a reply of a hundred thousand characters ends the connection', async () => {
  const stub = await SmtpStub.listen();
  stub.scripts.add('*', { phase: 'rcpt', reply: `550 5.1.1 ${'x'.repeat(100_000)}` });
  const provider = new SmtpProvider({ url: stub.url, maxConnections: 1 });
  expect(await provider.deliver(outgoingEmail(), longDeadline(), claimed)).toMatchObject({
    kind: 'retry',
    reason: expect.stringContaining('EPROTOCOL'),
  });
  await provider.close();
  await stub.close();
});

it('mail for the server of an organization is not sent without its login, even if the server offers none', async () => {
  const stub = await SmtpStub.listen();
  stub.offersLogin = false;
  stub.scripts.add('*', { phase: 'auth', reply: '502 5.5.1 Not implemented' });
  const provider = new SmtpProvider({
    url: stub.url.replace('//', '//user:password@'),
    maxConnections: 1,
    sockets: { connect: (host, port) => Promise.resolve(connect(port, host)) },
  });
  expect((await provider.deliver(outgoingEmail(), longDeadline(), claimed)).kind).toBe('credential-refused');
  expect(stub.received).toEqual([]);
  await provider.close();
  await stub.close();
});
