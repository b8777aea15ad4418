import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { watchRequests } from './watch-requests.js';

/** How long a client may keep sending a body that was refused. */
const LINGER_MS = 25_000;

/**
 * Lets clients read the response to a request whose body is still arriving. Node closes such a connection at once, and
 * a kernel that closes one with unread bytes resets it, which also discards the response on its way to the client. Here
 * the connection is closed for writing only, and the rest of the body is discarded until the client closes it.
 * @param lingerMs how long at most
 */
export function lingerOnClose(server: Server, lingerMs = LINGER_MS): void {
  watchRequests(server, (request, response) => {
    response.once('prefinish', () => {
      if (!request.complete) lingerOnce(request, lingerMs);
    });
  });
}

/** Node calls `destroySoon` on a connection that is to be closed after its response. */
function lingerOnce(request: IncomingMessage, lingerMs: number): void {
  const { socket } = request;
  socket.destroySoon = () => {
    delete (socket as Partial<Socket>).destroySoon;
    if (request.complete) return socket.destroySoon();
    endAndLinger(socket, lingerMs);
  };
}

/** Ends a connection after the written data is sent, and discards further data until the client also closes it. */
export function endAndLinger(socket: Socket, lingerMs = LINGER_MS): void {
  socket.end();
  const cut = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(cut));
}
