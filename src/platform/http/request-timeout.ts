import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const exempt = new WeakMap<Socket, IncomingMessage>();

/** For a request whose body is handled while it arrives, with its own deadlines. */
export function exemptFromRequestTimeout(request: IncomingMessage): void {
  exempt.set(request.socket, request);
}

/** True while such a request arrives on the connection. */
export function isExemptFromRequestTimeout(socket: Socket): boolean {
  const request = exempt.get(socket);
  return request !== undefined && !request.complete && !request.destroyed;
}
