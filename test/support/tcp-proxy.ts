import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { freePort } from '../../src/embedded/free-port.js';

/** Whether bytes are held back or forwarded, and how fast. */
interface Throttle {
  held: boolean;
  delayMs: number;
  bytesPerSecond: number;
}

/** A pattern in a client's request. The client that sends it is disconnected before it receives the response. */
interface Trigger {
  readonly pattern: string;
  sprung: () => void;
}

/**
 * A TCP proxy in front of a server, for tests in which the server is down, slow or silent for a while. It can close
 * connections, hold them (both ends stay connected and receive nothing), delay them, limit their bandwidth, leave them
 * half open, and close one between a command and its response.
 */
export class TcpProxy {
  private readonly wires = new Set<Wire>();
  private readonly throttle: Throttle = { held: false, delayMs: 0, bytesPerSecond: Infinity };
  private trap: Trigger | undefined;

  private constructor(
    private readonly server: Server,
    private readonly port: number,
    private target: URL,
  ) {}

  static async before(target: URL): Promise<TcpProxy> {
    // Nothing else takes this port while the proxy is down.
    const server = createServer().listen(await freePort(), '127.0.0.1');
    await once(server, 'listening');
    const proxy = new TcpProxy(server, (server.address() as AddressInfo).port, target);
    server.on('connection', (client) => {
      const { port, hostname } = proxy.target;
      proxy.join(client, connect(Number(port), hostname));
    });
    return proxy;
  }

  /** New connections go to another server; existing ones stay where they are. */
  leadTo(target: URL): void {
    this.target = target;
  }

  /** The same URL with the address of the proxy. */
  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = '127.0.0.1';
    changed.port = String(this.port);
    return changed.href;
  }

  /** Closes every connection and refuses new ones. */
  async goDown(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.cut();
    await closed;
  }

  async comeUp(): Promise<void> {
    if (this.server.listening) return;
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** Closes every connection and accepts new ones. */
  cut(): void {
    for (const wire of this.wires) wire.destroy();
  }

  /**
   * Holds all data back: connections stay open, new ones are accepted, and nothing arrives. When a sender closes its
   * connection, its held data is lost, as it would be in the sender's own buffer.
   */
  hold(): void {
    this.throttle.held = true;
  }

  /** Sends the held data and everything after it. */
  release(): void {
    this.throttle.held = false;
    for (const wire of this.wires) wire.release();
  }

  /** True while data is held back. */
  get isHoldingBack(): boolean {
    return [...this.wires].some(({ holdsBack }) => holdsBack);
  }

  /** Delays every chunk by this time and keeps the order. */
  slowDown(milliseconds: number): void {
    this.throttle.delayMs = milliseconds;
  }

  /** Limits each direction of each connection. */
  limitTo(bytesPerSecond: number): void {
    this.throttle.bytesPerSecond = bytesPerSecond;
  }

  /** Leaves existing connections half open: they stay and carry no data. New ones work. */
  strand(): void {
    for (const wire of this.wires) wire.strand();
  }

  /** Disconnects the next client that sends `pattern`: after the server has it, before the response. */
  async cutAfter(pattern: string): Promise<void> {
    await new Promise<void>((resolve) => {
      this.trap = { pattern, sprung: resolve };
    });
  }

  private join(client: Socket, server: Socket): void {
    const wire = new Wire(client, server, this.throttle, (chunk) => this.triggers(chunk));
    this.wires.add(wire);
    client.once('close', () => this.wires.delete(wire));
  }

  private triggers(chunk: Buffer): boolean {
    const { trap } = this;
    if (!trap || !chunk.includes(trap.pattern)) return false;
    this.trap = undefined;
    trap.sprung();
    return true;
  }
}

/** One connection between client and server, in both directions. */
class Wire {
  private readonly waiting: { to: Socket; chunk: Buffer }[] = [];
  private stranded = false;
  private responsesDropped = false;

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    private readonly throttle: Throttle,
    private readonly isLastWord: (chunk: Buffer) => boolean,
  ) {
    client.on('data', (chunk: Buffer) => {
      if (this.isLastWord(chunk)) this.responsesDropped = true;
      this.pace(client, chunk);
      this.carry(server, chunk);
    });
    server.on('data', (chunk: Buffer) => {
      this.pace(server, chunk);
      if (this.responsesDropped) this.destroy();
      else this.carry(client, chunk);
    });
    this.endTogether(client, server);
    this.endTogether(server, client);
  }

  get holdsBack(): boolean {
    return this.waiting.length > 0;
  }

  release(): void {
    for (const { to, chunk } of this.waiting.splice(0)) this.carry(to, chunk);
  }

  strand(): void {
    this.stranded = true;
    this.waiting.length = 0;
  }

  destroy(): void {
    this.waiting.length = 0;
    this.client.destroy();
    this.server.destroy();
  }

  /** Takes no more from its sender for as long as a chunk takes at the limited bandwidth. */
  private pace(from: Socket, { length }: Buffer): void {
    if (this.throttle.bytesPerSecond === Infinity) return;
    from.pause();
    setTimeout(() => from.resume(), (length / this.throttle.bytesPerSecond) * 1_000);
  }

  private carry(to: Socket, chunk: Buffer): void {
    if (this.stranded) return;
    if (this.throttle.held) this.waiting.push({ to, chunk });
    else if (this.throttle.delayMs > 0) setTimeout(() => write(to, chunk), this.throttle.delayMs);
    else write(to, chunk);
  }

  private endTogether(socket: Socket, other: Socket): void {
    socket.setNoDelay(true);
    socket.on('error', () => this.destroy());
    socket.on('end', () => {
      if (this.throttle.held) this.destroy();
      else if (!this.stranded) setTimeout(() => other.end(), this.throttle.delayMs);
    });
    // A stranded client receives nothing any more, not even that the server has closed its end.
    socket.on('close', () => this.stranded || this.destroy());
  }
}

function write(to: Socket, chunk: Buffer): void {
  if (!to.destroyed && to.writable) to.write(chunk);
}
