import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Something that stops bytes on their way, or lets them through. */
interface Weather {
  held: boolean;
  delayMs: number;
}

/** A pattern in what a client says; whoever says it is cut off before it hears the answer. */
interface Trap {
  readonly pattern: string;
  sprung: () => void;
}

/**
 * A cable to a server that tests want to be away, slow or silent for a while. It can be cut, held (both ends stay
 * connected and hear nothing), slowed down, left half open, and cut between a command and its answer.
 */
export class TcpProxy {
  private readonly wires = new Set<Wire>();
  private readonly weather: Weather = { held: false, delayMs: 0 };
  private trap: Trap | undefined;

  private constructor(
    private readonly server: Server,
    private readonly port: number,
    private target: URL,
  ) {}

  static async before(target: URL): Promise<TcpProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new TcpProxy(server, (server.address() as AddressInfo).port, target);
    server.on('connection', (client) => {
      const { port, hostname } = proxy.target;
      proxy.join(client, connect(Number(port), hostname));
    });
    return proxy;
  }

  /** New connections go to another server; today's stay where they are. */
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

  /** Cuts every connection and refuses new ones. */
  async goAway(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.cut();
    await closed;
  }

  async comeBack(): Promise<void> {
    if (this.server.listening) return;
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** Cuts every connection; new ones are welcome. */
  cut(): void {
    for (const wire of this.wires) wire.destroy();
  }

  /**
   * Holds everything back: connections stand, new ones are taken, and nothing arrives. What is held back dies with
   * its sender, as it would on the sender's side of a real cable.
   */
  hold(): void {
    this.weather.held = true;
  }

  /** Lets through what was held back, and everything after it. */
  flow(): void {
    this.weather.held = false;
    for (const wire of this.wires) wire.release();
  }

  /** True while something that was said is held back. */
  get isHoldingBack(): boolean {
    return [...this.wires].some(({ holdsBack }) => holdsBack);
  }

  /** Every chunk arrives so much later, in order. */
  slowDown(milliseconds: number): void {
    this.weather.delayMs = milliseconds;
  }

  /** Leaves today's connections half open: they stand for ever and carry nothing. New ones work. */
  strand(): void {
    for (const wire of this.wires) wire.strand();
  }

  /** The next client that says `pattern` is cut off after the server has it and before the answer. */
  async cutAfter(pattern: string): Promise<void> {
    await new Promise<void>((resolve) => {
      this.trap = { pattern, sprung: resolve };
    });
  }

  private join(client: Socket, server: Socket): void {
    const wire = new Wire(client, server, this.weather, (chunk) => this.springs(chunk));
    this.wires.add(wire);
    client.once('close', () => this.wires.delete(wire));
  }

  private springs(chunk: Buffer): boolean {
    const { trap } = this;
    if (!trap || !chunk.includes(trap.pattern)) return false;
    this.trap = undefined;
    trap.sprung();
    return true;
  }
}

/** One connection, from client to server and back. */
class Wire {
  private readonly waiting: { to: Socket; chunk: Buffer }[] = [];
  private stranded = false;
  private answersDropped = false;

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    private readonly weather: Weather,
    private readonly isLastWord: (chunk: Buffer) => boolean,
  ) {
    client.on('data', (chunk: Buffer) => {
      if (this.isLastWord(chunk)) this.answersDropped = true;
      this.carry(server, chunk);
    });
    server.on('data', (chunk: Buffer) => {
      if (this.answersDropped) this.destroy();
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

  private carry(to: Socket, chunk: Buffer): void {
    if (this.stranded) return;
    if (this.weather.held) this.waiting.push({ to, chunk });
    else if (this.weather.delayMs > 0) setTimeout(() => write(to, chunk), this.weather.delayMs);
    else write(to, chunk);
  }

  private endTogether(socket: Socket, other: Socket): void {
    socket.setNoDelay(true);
    socket.on('error', () => this.destroy());
    socket.on('end', () => {
      if (this.weather.held) this.destroy();
      else if (!this.stranded) setTimeout(() => other.end(), this.weather.delayMs);
    });
    // A stranded client hears nothing any more, not even that the server has gone.
    socket.on('close', () => this.stranded || this.destroy());
  }
}

function write(to: Socket, chunk: Buffer): void {
  if (!to.destroyed && to.writable) to.write(chunk);
}
