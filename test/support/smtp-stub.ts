import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Scripts } from './scripts.js';
import { SmtpConversation, type SmtpStep } from './smtp-conversation.js';

export type { SmtpPhase, SmtpStep } from './smtp-conversation.js';

/** One message whose final dot arrived, accepted or not. */
export interface SmtpMessage {
  /** From the X-Mailbeacon-Id header; '' when there is none. */
  readonly emailId: string;
  readonly messageId: string;
  readonly sender: string;
  /** The recipients the stub had accepted when the content came. */
  readonly recipients: readonly string[];
  /** The content after dot-unstuffing. */
  readonly content: Buffer;
  /** The content as it was on the wire. */
  readonly wire: Buffer;
  readonly accepted: boolean;
  /** Whether the sender was told. */
  readonly answered: boolean;
  readonly at: number;
}

/**
 * A small SMTP server on a raw socket, so that it can misbehave at every step; scripts are per email id (known once
 * the content is in), per address of sender or recipient (known earlier), or '*' for everybody.
 */
export class SmtpStub {
  readonly scripts = new Scripts<SmtpStep>();
  /** Everything that came in completely; `messages` are those that were accepted. */
  readonly received: SmtpMessage[] = [];
  /** When set, a sender must give these first. */
  credentials: { readonly user: string; readonly pass: string } | undefined;
  connectionsMade = 0;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor() {
    this.server = createServer({ allowHalfOpen: true }, (socket) => {
      this.connectionsMade += 1;
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.sockets.delete(socket));
      void new SmtpConversation(socket, this).run();
    });
  }

  static async listen(): Promise<SmtpStub> {
    const stub = new SmtpStub();
    await new Promise<void>((resolve) => stub.server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  get url(): string {
    const login = this.credentials ? `${this.credentials.user}:${encodeURIComponent(this.credentials.pass)}@` : '';
    return `smtp://${login}127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get messages(): readonly SmtpMessage[] {
    return this.received.filter(({ accepted }) => accepted);
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  /** Ends every open connection the way a server does that has waited long enough. */
  endIdleConnections(): void {
    for (const socket of this.sockets) socket.end();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
