import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { DeliveryOutcome, OutgoingEmail } from '../../../src/providers/provider.js';
import type { SendGridProvider } from '../../../src/providers/sendgrid/sendgrid-provider.js';
import { outgoingEmail } from '../../support/outgoing-email.js';
import { claimed, longDeadline } from '../bench.js';
import { eventually } from '../../support/eventually.js';
import { providerAt } from '../sendgrid/sendgrid-bench.js';

const LARGE = 'x'.repeat(20_000_000);

const response = (status: number, ...headers: string[]): string =>
  [`HTTP/1.1 ${status} Status`, 'Content-Length: 0', ...headers, '', ''].join('\r\n');

/** A server that writes its responses at times of its own choice. */
class RawServer {
  readonly sockets: Socket[] = [];
  received = 0;
  onConnect: ((socket: Socket) => void) | undefined;
  onData: ((socket: Socket) => void) | undefined;
  private readonly server: Server = createServer((socket) => {
    this.sockets.push(socket);
    socket.on('error', () => socket.destroy()).on('data', (data: Buffer) => this.take(socket, data));
    this.onConnect?.(socket);
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(socket: Socket, data: Buffer): void {
    this.received += data.length;
    this.onData?.(socket);
  }
}

let server: RawServer;
let provider: SendGridProvider;
beforeEach(async () => {
  server = new RawServer();
  provider = providerAt(await server.listen());
});
afterEach(async () => {
  await provider.close();
  await server.close();
});

const deliver = (email: OutgoingEmail = outgoingEmail(), handOver = claimed): Promise<DeliveryOutcome> =>
  provider.deliver(email, longDeadline(), handOver);

/**
 * Delivers with a claim that is granted only after the outcome. Resolves once the connection is closed.
 * @param onClaim called once the email has a connection
 */
async function deliverBeforeClaim(email?: OutgoingEmail, onClaim = () => {}): Promise<DeliveryOutcome> {
  let allow!: (allowed: boolean) => void;
  const claim = new Promise<boolean>((resolve) => (allow = resolve));
  const outcome = await deliver(email, () => {
    onClaim();
    return claim;
  });
  allow(true);
  await eventually(() => server.sockets.every((socket) => socket.closed));
  return outcome;
}

/** An attachment whose end is never read: the request stays incomplete after it has begun. */
function halfAttached(): OutgoingEmail {
  const read = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.alloc(30_000);
    await new Promise(() => undefined);
  };
  return outgoingEmail({
    attachments: [{ filename: 'a', contentType: 'text/plain', contentId: null, size: 60_000, read }],
  });
}

describe('a response before anything was sent', () => {
  it.each([202, 302, 400, 401, 403, 408, 413, 429, 500, 503])(
    '%i is not about this email: it is retried, and the request is never sent',
    async (status) => {
      server.onConnect = (socket) => void socket.write(response(status));
      expect(await deliverBeforeClaim()).toEqual({
        kind: 'retry',
        reason: `SendGrid responded with ${status} before the request was complete`,
      });
      expect(server.received).toBe(0);
    },
  );

  it('is not taken for the acceptance of an email that the server never read', async () => {
    server.onConnect = (socket) => void socket.end(response(202));
    expect(await deliverBeforeClaim()).toMatchObject({ kind: 'retry' });
  });

  it('may be a second response to the previous request on the same connection', async () => {
    server.onData = (socket) => void socket.write(response(202));
    expect(await deliver()).toMatchObject({ kind: 'accepted' });
    const before = server.received;
    const again = () => void server.sockets[0]!.write(response(202));
    expect(await deliverBeforeClaim(undefined, again)).toMatchObject({ kind: 'retry' });
    expect([server.sockets.length, server.received]).toEqual([1, before]);
    expect(await deliver()).toMatchObject({ kind: 'accepted' });
  });

  // Newer versions of Node then close the connection; with others, the response meets the next request.
  it('may come while the connection is idle: the next email is not accepted without being received', async () => {
    server.onData = (socket) => void socket.write(response(202));
    expect(await deliver()).toMatchObject({ kind: 'accepted' });
    const before = server.received;
    server.sockets[0]!.write(response(202));
    const { kind } = await deliver();
    if (kind === 'accepted') await eventually(() => server.received > before);
    else expect(kind).toBe('retry');
  });

  it('stops a batch too, whose body is created after the claim', async () => {
    server.onConnect = (socket) => void socket.write(response(503));
    const { from, to, ...email } = outgoingEmail();
    const recipient = { ...email, to: to[0]!, unsubscribeUrl: 'https://t.example/u', values: [] };
    const message = { organizationId: 'o', from, html: 'x', text: 'x', tags: [] };
    let allow!: (allowed: boolean[]) => void;
    const claim = new Promise<boolean[]>((resolve) => (allow = resolve));
    const outcome = await provider.batch.deliver(message, [recipient], longDeadline(), () => claim);
    expect(outcome).toMatchObject({ kind: 'retry' });
    allow([true]);
    await eventually(() => server.sockets.every((socket) => socket.closed));
    expect(server.received).toBe(0);
  });
});

describe('a response to the beginning of a request', () => {
  it.each([
    [202, 'retry'],
    [302, 'retry'],
    [400, 'retry'],
    [401, 'credential-refused'],
    [403, 'retry'],
    [408, 'retry'],
    [413, 'refused'],
    [429, 'throttled'],
    [500, 'retry'],
    [503, 'retry'],
  ])('%i is %s, and the rest is never sent', async (status, kind) => {
    server.onData = (socket) => void socket.write(response(status));
    expect(await deliverBeforeClaim(halfAttached())).toMatchObject({ kind });
    expect(server.received).toBeLessThan(60_000);
  });

  it('503 gives the time of the next attempt', async () => {
    server.onData = (socket) => void socket.write(response(503, 'Retry-After: 7'));
    expect(await deliverBeforeClaim(halfAttached())).toMatchObject({ kind: 'retry', afterMs: 7000 });
  });

  it.each([
    [202, 'retry'],
    [413, 'refused'],
    [503, 'retry'],
  ])('%i in the middle of a large body is %s, although its end was already queued', async (status, kind) => {
    let hasResponded = false;
    server.onData = (socket) => {
      if (!hasResponded) socket.write(response(status));
      hasResponded = true;
    };
    expect(await deliver(outgoingEmail({ html: LARGE }))).toMatchObject({ kind });
    await eventually(() => server.sockets.every((socket) => socket.closed));
    expect(server.received).toBeLessThan(LARGE.length);
  });

  it('is final only if it is not an interim response', async () => {
    server.onConnect = (socket) => void socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    server.onData = (socket) => void socket.write(`HTTP/1.1 103 Early Hints\r\n\r\n${response(202)}`);
    expect(await deliver()).toMatchObject({ kind: 'accepted' });
  });
});

describe('a protocol upgrade, which was not requested, fails at once', () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';

  it('before the end of the request', async () => {
    server.onConnect = (socket) => void socket.write(upgrade);
    expect(await deliverBeforeClaim()).toMatchObject({ kind: 'retry', reason: expect.stringContaining('ECONNRESET') });
    expect(server.received).toBe(0);
  });

  it('after it, with an unknown outcome', async () => {
    server.onData = (socket) => void socket.write(upgrade);
    expect(await deliver()).toMatchObject({ kind: 'ambiguous', reason: expect.stringContaining('ECONNRESET') });
    await eventually(() => server.sockets.every((socket) => socket.closed));
  });
});
