import { Readable } from 'node:stream';

/** A client that leaves this many bytes unread has stopped reading. */
const MAX_UNREAD_BYTES = 256 * 1024;
/** Delay after which clients reconnect. */
const RETRY_MS = 2_000;

/** One event (HTML Standard, 9.2, Server-sent events). */
interface ServerSentEvent {
  /** Without one, it is a `message`. */
  readonly event?: string;
  /** The position from which a reconnecting client continues. */
  readonly id?: string | undefined;
  readonly data: object;
}

/** A response of server-sent events, with a limit on what it buffers for a client that does not read. */
export class EventStream {
  readonly body = new Readable({ read: () => undefined });
  private isOver = false;

  constructor() {
    this.body.push(`retry: ${RETRY_MS}\n\n`);
  }

  /** @returns false once the client has left too much unread, or the stream has ended */
  send({ event, id, data }: ServerSentEvent): boolean {
    const name = event === undefined ? '' : `event: ${event}\n`;
    return this.write(`${name}${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`);
  }

  /** A comment, which keeps proxies from closing the connection and shows the client that it is still there. */
  heartbeat(): boolean {
    return this.write(': \n\n');
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.body.push(null);
  }

  private write(text: string): boolean {
    if (this.isOver || this.body.destroyed) return false;
    this.body.push(text);
    return this.body.readableLength <= MAX_UNREAD_BYTES;
  }
}
