import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { headerLines, type StaticResponse, type FastPathHandler, type Reply } from './static-response.js';
import { readPlainGet, type PlainGet } from './parse-get.js';
import { PlainHead } from './request-head.js';

/** Idle connections live this much longer than announced, because a request may already be on its way. */
const GRACE_MS = 1_000;

interface FastPathRoute {
  readonly prefix: string;
  readonly handler: FastPathHandler;
}

/** One connection on the fast path. It handles one request at a time. */
export class FastPathConnection implements Reply {
  private waiting = false;
  private closing = false;
  /** Bytes that the client sent before it received its response (pipelining). */
  private early: Buffer | undefined;

  /** @param leave called with the unread bytes when the connection moves to node:http, or without when it has closed */
  constructor(
    private readonly route: FastPathRoute,
    private readonly socket: Socket,
    private readonly server: Server,
    private readonly leave: (bytes?: Buffer) => void,
  ) {
    socket.setTimeout(server.headersTimeout);
    socket.on('data', this.onData).on('end', this.onEnd).on('close', this.onClose);
    socket.on('timeout', this.onTimeout).on('error', this.onError);
  }

  /** Closes the connection now, or after the pending response. */
  close(): void {
    this.closing = true;
    if (!this.waiting) this.socket.destroySoon();
  }

  send(response: StaticResponse, ...headers: readonly string[]): void {
    this.waiting = false;
    const { socket, closing, early } = this;
    if (socket.destroyed) return;
    const end = closing || response.closes;
    const connection = response.closes
      ? ''
      : closing
        ? 'Connection: close\r\n'
        : keepAlive(this.server.keepAliveTimeout);
    const message = `${response.head}${headerLines(headers)}${dateLine()}${connection}\r\n${response.body}`;
    const isFlushed = socket.write(message, 'latin1');
    if (end) socket.destroySoon();
    else if (early !== undefined) this.moveToNodeHttp(early);
    else if (!isFlushed) this.waitForDrain();
    else if (socket.timeout !== this.idleMs) socket.setTimeout(this.idleMs);
  }

  /**
   * Stops reading requests while responses are unsent. A timeout closes connections whose client reads none of them.
   */
  private waitForDrain(): void {
    const { socket } = this;
    socket.setTimeout(this.server.timeout || this.idleMs);
    socket.pause();
    socket.once('drain', () => {
      socket.setTimeout(this.idleMs);
      socket.resume();
    });
  }

  private get idleMs(): number {
    return this.server.keepAliveTimeout + GRACE_MS;
  }

  private readonly onData = (bytes: Buffer): void => {
    if (this.waiting) {
      this.early = bytes;
      this.socket.pause();
      return;
    }
    const request = readPlainGet(bytes, this.route.prefix);
    this.waiting = request !== undefined;
    if (request === undefined || !this.handle(request)) this.moveToNodeHttp(bytes);
  };

  private handle({ target, head }: PlainGet): boolean {
    return this.route.handler('GET', target, this, new PlainHead(head, this.socket));
  }

  /** The client has sent its last byte but may still wait for its response. */
  private readonly onEnd = (): void => this.close();

  private readonly onTimeout = (): void => {
    if (!this.waiting) this.socket.destroy();
  };

  private readonly onError = (): void => {
    this.socket.destroy();
  };

  private readonly onClose = (): void => this.leave();

  private moveToNodeHttp(bytes: Buffer): void {
    const { socket } = this;
    socket.pause();
    socket.setTimeout(0);
    socket.off('data', this.onData).off('end', this.onEnd).off('close', this.onClose);
    socket.off('timeout', this.onTimeout).off('error', this.onError);
    this.leave(bytes);
  }
}

let dateSecond = 0;
let date = '';

/** Formatted once a second. */
function dateLine(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = headerLines(['Date', new Date(now).toUTCString()]);
  }
  return date;
}

let announcedMs = -1;
let announcement = '';

/** The same header lines that node:http sends. */
function keepAlive(milliseconds: number): string {
  if (milliseconds !== announcedMs) {
    announcedMs = milliseconds;
    const seconds = String(Math.floor(milliseconds / 1000));
    announcement = headerLines(['Connection', 'keep-alive', 'Keep-Alive', `timeout=${seconds}`]);
  }
  return announcement;
}
