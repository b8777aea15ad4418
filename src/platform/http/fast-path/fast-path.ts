import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastPathHandler } from './static-response.js';
import { FastPathConnection } from './connection.js';

type ConnectionListener = (this: Server, socket: Socket) => void;

/**
 * Serves plain GET requests directly from the socket, at half the cost of node:http's request and response objects.
 * The first request of any other form moves its connection to node:http for good, with every byte unread. Only Node's
 * parser interprets such requests.
 */
export class FastPath {
  private readonly connections = new Set<FastPathConnection>();
  private closing = false;

  /** @param prefix prefix of the request targets that the handler serves */
  constructor(
    readonly prefix: string,
    readonly handler: FastPathHandler,
  ) {}

  /** Puts itself in front of the server's listeners to connections: they get only those that move to node:http. */
  open(server: Server): void {
    const listeners = server.listeners('connection') as ConnectionListener[];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      const connection = new FastPathConnection(this, socket, server, (bytes) => {
        this.connections.delete(connection);
        if (bytes === undefined) return;
        for (const listener of listeners) listener.call(server, socket);
        socket.unshift(bytes);
        socket.resume();
      });
      this.connections.add(connection);
      if (this.closing) connection.close();
    });
  }

  /** Closes idle connections at once, and busy ones after their response. */
  close(): void {
    this.closing = true;
    for (const connection of this.connections) connection.close();
  }
}
