import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { DeliveryOutcome } from '../../../src/providers/provider.js';
import type { SmtpProvider } from '../../../src/providers/smtp/smtp-provider.js';
import { outgoingEmail } from '../../support/outgoing-email.js';
import { claimed, longDeadline } from '../bench.js';
import { eventually } from '../../support/eventually.js';
import { providerAt } from './smtp-bench.js';

const END_OF_CONTENT = '\r\n.\r\n';

/** Replies to the content of a message before it has all of it, reads on, and accepts it at its end. */
class HastyServer {
  /** The reply to the next content that comes too early. */
  early: string | undefined;
  completeMessages = 0;
  readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((socket) => this.converse(socket));

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `smtp://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private converse(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    socket.write('220 hasty\r\n');
    let [input, terminator] = ['', '\r\n'];
    socket.on('data', (chunk: Buffer) => {
      input += chunk.toString('latin1');
      for (let end = input.indexOf(terminator); end !== -1; end = input.indexOf(terminator)) {
        const isContent = terminator === END_OF_CONTENT;
        const isData = !isContent && input.startsWith('DATA');
        input = input.slice(end + terminator.length);
        terminator = isData ? END_OF_CONTENT : '\r\n';
        if (isContent) this.completeMessages += 1;
        socket.write(isData ? this.invitation() : '250 2.0.0 Ok\r\n');
      }
    });
  }

  private invitation(): string {
    const { early } = this;
    this.early = undefined;
    return `354 Go ahead\r\n${early === undefined ? '' : `${early}\r\n`}`;
  }
}

describe('a reply to the content before its end was sent', () => {
  let server: HastyServer;
  let provider: SmtpProvider;
  beforeEach(async () => {
    server = new HastyServer();
    provider = providerAt(await server.listen());
  });
  afterEach(async () => {
    await provider.close();
    await server.close();
  });

  const short = {};
  const long = { html: `<p>${'lorem ipsum '.repeat(200_000)}</p>` };

  it.each([
    ['250 2.0.0 Ok: queued as EARLY', 'short', 'retry', short],
    ['250 2.0.0 Ok: queued as EARLY', 'long', 'retry', long],
    ['354 Go on', 'short', 'retry', short],
    ['451 4.3.0 Busy', 'short', 'retry', short],
    ['451 4.3.0 Busy', 'long', 'retry', long],
    ['552 5.3.4 Too large', 'short', 'refused', short],
    ['552 5.3.4 Too large', 'long', 'refused', long],
  ])('%s to a %s message: %s, and the server never gets its end', async (early, _, kind, changes) => {
    server.early = early;
    let grant = (): void => undefined;
    const handOver = () => new Promise<boolean>((resolve) => (grant = () => resolve(true)));
    const outcome: DeliveryOutcome = await provider.deliver(outgoingEmail(changes), longDeadline(), handOver);
    expect(outcome.kind).toBe(kind);
    grant();
    await eventually(() => server.sockets.size === 0);
    expect(server.completeMessages).toBe(0);
  });

  it('does not affect the next message', async () => {
    server.early = '552 5.3.4 Too large';
    await provider.deliver(outgoingEmail(long), longDeadline(), claimed);
    expect((await provider.deliver(outgoingEmail(), longDeadline(), claimed)).kind).toBe('accepted');
    expect(server.completeMessages).toBe(1);
  });
});
