import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Scripts } from './scripts.js';
import { SmtpConversation, type SmtpStep } from './smtp-conversation.js';

export type { SmtpPhase, SmtpStep } from './smtp-conversation.js';

/** One message whose final dot arrived, accepted or not. */
export interface SmtpMessage {
  /** From the X-Mailbeacon-Id header; '' if there is none. */
  readonly emailId: string;
  readonly messageId: string;
  readonly sender: string;
  /** The recipients that the stub had accepted before the content. */
  readonly recipients: readonly string[];
  /** The content after dot-unstuffing. */
  readonly content: Buffer;
  /** The content as received. */
  readonly wire: Buffer;
  readonly accepted: boolean;
  /** Whether the sender got the reply. */
  readonly hasReply: boolean;
  readonly at: number;
}

/**
 * A small SMTP server on a raw socket, so that it can misbehave at every step. Scripts apply to an email ID (known
 * after the content), to an address of a sender or recipient (known earlier), or with '*' to every message.
 */
export class SmtpStub {
  readonly scripts = new Scripts<SmtpStep>();
  /** Every complete message; `messages` are the accepted ones. */
  readonly received: SmtpMessage[] = [];
  /** When set, clients must authenticate with these. */
  credentials: { readonly user: string; readonly pass: string } | undefined;
  /** False for a server that accepts mail from everybody, such as the mail exchanger of a domain. */
  offersLogin = true;
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

  /** Closes every open connection, as a server does after its idle timeout. */
  endIdleConnections(): void {
    for (const socket of this.sockets) socket.end();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
