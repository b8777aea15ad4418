import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Transform, type TransformCallback } from 'node:stream';

/** `on`, or the seed of a run to repeat. */
const VARIABLE = 'SLOW_STORES';

const SHARE_DELAYED = 0.03;
const [SHORTEST_MS, LONGEST_MS] = [100, 600];

/** Puts itself between tests and their Postgres or Redis, if SLOW_STORES is set, and delays some of the data. */
export class SlowStores {
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly seed: number | undefined) {}

  static fromEnvironment(): SlowStores {
    const value = process.env[VARIABLE];
    if (value === undefined) return new SlowStores(undefined);
    const seed = value === 'on' ? randomInt(1, 2 ** 31) : Number(value);
    if (!Number.isInteger(seed)) throw new Error(`${VARIABLE} must be "on" or an integer, not "${value}"`);
    process.stderr.write(`Postgres and Redis are slow. To repeat the delays: ${VARIABLE}=${seed}\n`);
    return new SlowStores(seed);
  }

  /** @returns the URL under which clients reach the store at `url` */
  async before(url: string): Promise<string> {
    if (this.seed === undefined) return url;
    const { hostname, port } = new URL(url);
    let { seed } = this;
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const store = connect({ port: Number(port), host: hostname, allowHalfOpen: true, noDelay: true });
      this.join(client, store, (seed += 2));
      this.join(store, client, seed + 1);
    });
    this.servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    const slow = new URL(url);
    slow.port = String((server.address() as AddressInfo).port);
    return slow.href;
  }

  close(): void {
    for (const server of this.servers) server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private join(from: Socket, to: Socket, seed: number): void {
    this.sockets.add(from);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      // What the other end has sent before is still on its way.
      if (!from.readableEnded) to.destroy();
    });
    from.pipe(new Delay(seed)).pipe(to);
  }
}

/** Keeps the order: data waits for delayed data before it. */
class Delay extends Transform {
  constructor(private state: number) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, forward: TransformCallback): void {
    if (this.random() >= SHARE_DELAYED) forward(null, chunk);
    else setTimeout(forward, SHORTEST_MS + this.random() * (LONGEST_MS - SHORTEST_MS), null, chunk);
  }

  /** Mulberry32: a number from 0 to 1, excluding 1. */
  private random(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
