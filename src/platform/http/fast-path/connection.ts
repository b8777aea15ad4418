import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { headerLines, type StaticResponse, type FastPathHandler, type Reply } from './static-response.js';
import { targetOfPlainGet } from './parse-get.js';

/** An idle client may use its connection a little longer than it was told: its request may be on its way. */
const GRACE_MS = 1_000;

interface Lane {
  readonly prefix: string;
  readonly handler: FastPathHandler;
}

/** One connection on the express lane. One request is under way at a time. */
export class FastPathConnection implements Reply {
  private waiting = false;
  private closing = false;
  /** What the client sent while its answer was still to come. */
  private early: Buffer | undefined;

  /** @param leave takes the bytes with which the connection goes to node:http, or none when it has ended */
  constructor(
    private readonly lane: Lane,
    private readonly socket: Socket,
    private readonly server: Server,
    private readonly leave: (bytes?: Buffer) => void,
  ) {
    socket.setTimeout(server.headersTimeout);
    socket.on('data', this.onData).on('end', this.onEnd).on('close', this.onClose);
    socket.on('timeout', this.onTimeout).on('error', this.onError);
  }

  /** Ends the connection now, or with the answer that is under way. */
  close(): void {
    this.closing = true;
    if (!this.waiting) this.socket.destroySoon();
  }

  send(answer: StaticResponse, ...headers: readonly string[]): void {
    this.waiting = false;
    const { socket, closing, early } = this;
    if (socket.destroyed) return;
    const end = closing || answer.closes;
    const connection = answer.closes ? '' : closing ? 'Connection: close\r\n' : keepAlive(this.server.keepAliveTimeout);
    const response = `${answer.head}${headerLines(headers)}${dateLine()}${connection}\r\n${answer.body}`;
    const isTaken = socket.write(response, 'latin1');
    if (end) socket.destroySoon();
    else if (early !== undefined) this.handOver(early);
    else if (!isTaken) this.waitForReader();
    else if (socket.timeout !== this.idleMs) socket.setTimeout(this.idleMs);
  }

  /** Reads no further request while responses pile up: a client that reads none of them is cut after a while. */
  private waitForReader(): void {
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
    const target = targetOfPlainGet(bytes, this.lane.prefix);
    this.waiting = target !== undefined;
    if (target === undefined || !this.lane.handler('GET', target, this)) this.handOver(bytes);
  };

  /** The client sends nothing more, but may still wait for its answer. */
  private readonly onEnd = (): void => this.close();

  private readonly onTimeout = (): void => {
    if (!this.waiting) this.socket.destroy();
  };

  private readonly onError = (): void => {
    this.socket.destroy();
  };

  private readonly onClose = (): void => this.leave();

  private handOver(bytes: Buffer): void {
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

/** Made once a second. */
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

/** As node:http announces it. */
function keepAlive(milliseconds: number): string {
  if (milliseconds !== announcedMs) {
    announcedMs = milliseconds;
    const seconds = String(Math.floor(milliseconds / 1000));
    announcement = headerLines(['Connection', 'keep-alive', 'Keep-Alive', `timeout=${seconds}`]);
  }
  return announcement;
}
