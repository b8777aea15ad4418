import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import type { SmtpStub } from './smtp-stub.js';

/** The points at which a script can take effect: 'content' is the first byte after DATA, 'dot' the complete message. */
export type SmtpPhase = 'connect' | 'ehlo' | 'auth' | 'mail' | 'rcpt' | 'data' | 'content' | 'dot' | 'rset' | 'quit';

export interface SmtpStep {
  readonly phase: SmtpPhase;
  /** Sent instead of the usual reply; a 421 also ends the connection. */
  readonly reply?: string;
  /** The reply (scripted or usual) waits until this settles. */
  readonly after?: Promise<unknown>;
  /** drop: closes the connection without a reply; silence: no reply; drip: a reply that never ends. */
  readonly fault?: 'drop' | 'silence' | 'drip';
  /** At 'dot': whether the server accepted the message in spite of a fault. */
  readonly accepts?: boolean;
}

const DRIP_MS = 5;
const END_OF_CONTENT = '\r\n.\r\n';

/** One connection, command by command (RFC 5321), in the order in which they were pipelined. */
export class SmtpConversation {
  private input = Buffer.alloc(0);
  /** Spare memory after the input, so that a large message is not copied with each chunk. */
  private room = Buffer.alloc(0);
  private readonly arrivals = new EventEmitter();
  /** The server continues although the client has disconnected. */
  private ignoresHangUp = false;
  private sender = '';
  private recipients: string[] = [];
  /** Includes the refused ones, so that their scripts still match. */
  private addresses: string[] = [];

  constructor(
    private readonly socket: Socket,
    private readonly stub: SmtpStub,
  ) {
    socket.on('data', (chunk: Buffer) => {
      this.append(chunk);
      this.arrivals.emit('input');
    });
    socket.on('end', () => this.ignoresHangUp || socket.end());
    socket.on('close', () => this.arrivals.emit('input'));
  }

  async run(): Promise<void> {
    if (!(await this.reply('connect', '220 stub ESMTP'))) return;
    for (;;) {
      const line = await this.readThrough('\r\n');
      if (line === undefined || !(await this.execute(line.toString().trimEnd()))) return;
    }
  }

  /** Executes a command. False when the conversation is over. */
  private execute(line: string): Promise<boolean> {
    const [verb = '', ...rest] = line.split(/[ :]/);
    switch (verb.toUpperCase()) {
      case 'EHLO':
      case 'HELO':
        this.reset();
        return this.reply('ehlo', `250-stub\r\n250-PIPELINING\r\n250-8BITMIME\r\n${this.login}250 SIZE 20000000`);
      case 'AUTH':
        return this.reply('auth', this.isWelcome(rest[1]) ? '235 2.7.0 Welcome' : '535 5.7.8 Bad credentials');
      case 'MAIL':
        this.sender = addressIn(line);
        this.addresses = [this.sender];
        return this.reply('mail', '250 2.1.0 Ok');
      case 'RCPT':
        return this.takeRecipient(addressIn(line));
      case 'DATA':
        return this.takeMessage();
      case 'RSET':
        this.reset();
        return this.reply('rset', '250 2.0.0 Ok');
      case 'QUIT':
        return this.reply('quit', '421 2.0.0 Bye');
      default:
        return this.reply(undefined, '250 2.0.0 Ok');
    }
  }

  private get login(): string {
    return this.stub.offersLogin ? '250-AUTH PLAIN\r\n' : '';
  }

  private isWelcome(token = ''): boolean {
    const { credentials } = this.stub;
    const expected = credentials && `\u0000${credentials.user}\u0000${credentials.pass}`;
    return expected === undefined || Buffer.from(token, 'base64').toString() === expected;
  }

  private async takeRecipient(address: string): Promise<boolean> {
    const step = this.stub.scripts.take([address], ({ phase }) => phase === 'rcpt');
    this.addresses.push(address);
    if (!step?.reply && !step?.fault) this.recipients.push(address);
    return this.perform(step, '250 2.1.5 Ok');
  }

  private async takeMessage(): Promise<boolean> {
    if (this.recipients.length === 0) return this.reply(undefined, '503 5.5.1 No valid recipients');
    const refusal = this.stub.scripts.take(this.addresses, ({ phase }) => phase === 'data');
    if (!(await this.perform(refusal, '354 Go ahead'))) return false;
    if (refusal?.reply) return true;
    const cut = this.stub.scripts.take(this.addresses, ({ phase }) => phase === 'content');
    if (cut) {
      while (this.input.length === 0 && !this.socket.destroyed) await once(this.arrivals, 'input');
      return this.perform(cut, '');
    }
    const content = await this.readThrough(END_OF_CONTENT);
    return content !== undefined && this.finish(content.subarray(0, -3));
  }

  private finish(wire: Buffer): Promise<boolean> {
    const content = Buffer.from(wire.toString('latin1').replace(/^\./gm, ''), 'latin1');
    const emailId = headerIn(content, 'X-Mailbeacon-Id');
    const step = this.stub.scripts.take([emailId, ...this.addresses], ({ phase }) => phase === 'dot');
    const accepted = step?.accepts ?? (step?.reply === undefined ? !step?.fault : step.reply.startsWith('2'));
    const { sender, recipients } = this;
    const messageId = headerIn(content, 'Message-ID').replace(/^<|>$/g, '');
    const replied = !step?.fault;
    this.stub.received.push({
      emailId,
      messageId,
      sender,
      recipients,
      content,
      wire,
      accepted,
      hasReply: replied,
      at: Date.now(),
    });
    const queueId = `STUB${this.stub.received.length}`;
    this.reset();
    return this.perform(step, `250 2.0.0 Ok: queued as ${queueId}`);
  }

  private reply(phase: SmtpPhase | undefined, usual: string): Promise<boolean> {
    const step = this.stub.scripts.take(this.addresses, (candidate) => candidate.phase === phase);
    return this.perform(step, usual);
  }

  private async perform(step: SmtpStep | undefined, usual: string): Promise<boolean> {
    await step?.after;
    this.ignoresHangUp = step?.fault === 'drip';
    if (step?.fault === 'drop') this.socket.resetAndDestroy();
    if (step?.fault === 'drip') {
      const timer = setInterval(() => this.socket.write('250-still thinking\r\n'), DRIP_MS);
      this.socket.once('close', () => clearInterval(timer));
    }
    if (step?.fault || this.socket.destroyed) return false;
    const reply = step?.reply ?? usual;
    this.socket.write(`${reply}\r\n`);
    if (reply.startsWith('421')) this.socket.end();
    return !reply.startsWith('421');
  }

  private async readThrough(terminator: string): Promise<Buffer | undefined> {
    let end = this.input.indexOf(terminator);
    while (end === -1) {
      if (this.socket.destroyed) return undefined;
      const searched = Math.max(0, this.input.length - terminator.length);
      await once(this.arrivals, 'input');
      end = this.input.indexOf(terminator, searched);
    }
    const found = this.input.subarray(0, end + terminator.length);
    this.input = this.input.subarray(found.length);
    return found;
  }

  private append(chunk: Buffer): void {
    if (this.room.length < chunk.length) {
      const joined = Buffer.alloc(2 * (this.input.length + chunk.length));
      this.input.copy(joined);
      this.room = joined.subarray(this.input.length);
      this.input = joined.subarray(0, this.input.length);
    }
    chunk.copy(this.room);
    this.room = this.room.subarray(chunk.length);
    this.input = Buffer.from(this.input.buffer, this.input.byteOffset, this.input.length + chunk.length);
  }

  private reset(): void {
    this.sender = '';
    this.recipients = [];
    this.addresses = [];
  }
}

function addressIn(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? '';
}

function headerIn(content: Buffer, name: string): string {
  const head = content.subarray(0, content.indexOf('\r\n\r\n')).toString('latin1');
  return new RegExp(`^${name}:\\s*(\\S+)`, 'im').exec(head)?.[1] ?? '';
}
