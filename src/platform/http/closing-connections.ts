import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RunSettings } from '../config/settings.js';
import { watchRequests } from './watch-requests.js';

/** Limits of connections from the moment that the server closes. */
export interface CloseTimeouts {
  /** How long a connection without a request may stay open: its next request may already be on its way. */
  readonly headersMs: number;
  /**
   * How long a request and its response may take. The deadline of the whole process should be longer, so that the steps
   * that follow the last connection still run.
   */
  readonly requestMs: number;
}

export const CLOSE_TIMEOUTS: CloseTimeouts = { headersMs: 2_000, requestMs: 40_000 };

/** The deadline of the process follows the time that deliveries may take. */
export function closeTimeoutsOf({ DELIVERY_TIMEOUT_MS }: Pick<RunSettings, 'DELIVERY_TIMEOUT_MS'>): CloseTimeouts {
  return { ...CLOSE_TIMEOUTS, requestMs: Math.min(CLOSE_TIMEOUTS.requestMs, DELIVERY_TIMEOUT_MS) };
}

const SWEEP_MS = 500;

/**
 * Closes the connections of a server in time when it closes. Node waits for each client: once the server closes, it
 * neither limits how long a request takes to arrive nor tells the clients of busy connections to leave.
 */
export class ClosingConnections {
  /** Each with the response to its latest request, or with the time since which it has no request. */
  private readonly connections = new Map<Socket, ServerResponse | number>();
  private closingAt: number | undefined;

  constructor(
    private readonly server: Server,
    private readonly timeouts: CloseTimeouts,
  ) {
    server.on('connection', (socket: Socket) => {
      this.connections.set(socket, performance.now());
      socket.once('close', () => this.connections.delete(socket));
    });
    watchRequests(server, ({ socket }, response) => this.begin(socket, response));
  }

  /** Call it when the server starts to close. */
  close(): void {
    this.closingAt = performance.now();
    for (const latest of this.connections.values()) if (typeof latest === 'object') closeAfter(latest);
    const timer = setInterval(() => this.sweep(), Math.min(SWEEP_MS, this.timeouts.headersMs)).unref();
    this.server.once('close', () => clearInterval(timer));
  }

  private begin(socket: Socket, response: ServerResponse): void {
    if (this.closingAt !== undefined) closeAfter(response);
    this.connections.set(socket, response);
    // An unfinished response ends only with its connection.
    response.once('finish', () => {
      if (this.connections.get(socket) === response) this.connections.set(socket, performance.now());
    });
  }

  private sweep(): void {
    const now = performance.now();
    const { headersMs, requestMs } = this.timeouts;
    for (const [socket, latest] of this.connections) {
      // One that we have ended lingers until its client has read the response.
      const waits = typeof latest === 'number' && !socket.writableEnded;
      const isOver = waits ? now - Math.max(latest, this.closingAt!) >= headersMs : now - this.closingAt! >= requestMs;
      if (isOver) socket.destroy();
    }
  }
}

/** Makes node:http send `Connection: close` with the response, unless its headers are already sent. */
function closeAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false;
}
