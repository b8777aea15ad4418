import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastPathHandler } from './static-response.js';
import { FastPathConnection } from './connection.js';

type ConnectionListener = (this: Server, socket: Socket) => void;

/**
 * Answers plain requests for the early handler straight from the connection, for half of what a request and a
 * response object cost. The first request that is anything else takes its connection over to node:http for good,
 * with every byte, so that whatever needs judgement is judged by Node's parser alone.
 */
export class FastPath {
  private readonly connections = new Set<FastPathConnection>();
  private closing = false;

  /** @param prefix what the targets of the handler's requests begin with */
  constructor(
    readonly prefix: string,
    readonly handler: FastPathHandler,
  ) {}

  /** Takes the server's new connections first. */
  open(server: Server): void {
    const [ordinary] = server.listeners('connection') as ConnectionListener[];
    server.removeListener('connection', ordinary!);
    server.on('connection', (socket: Socket) => {
      const connection = new FastPathConnection(this, socket, server, (bytes) => {
        this.connections.delete(connection);
        if (bytes === undefined) return;
        ordinary!.call(server, socket);
        socket.unshift(bytes);
        socket.resume();
      });
      this.connections.add(connection);
      if (this.closing) connection.close();
    });
  }

  /** Ends idle connections at once, and the others with their answer. */
  close(): void {
    this.closing = true;
    for (const connection of this.connections) connection.close();
  }
}
