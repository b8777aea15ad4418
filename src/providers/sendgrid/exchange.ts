import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Answer } from './answer.js';

type OnResponse = (response: IncomingMessage) => void;

/**
 * Watches one HTTP exchange from below the client: when it breaks, only here can be seen how far it got, and
 * that decides whether the email may have been accepted. Handed to the client as its transport.
 */
export class Exchange {
  private written = false;
  private head: Answer | undefined;

  /**
   * True once the last byte of the request was handed to the operating system. Before that the server cannot
   * have the whole body, and an incomplete request is never acted upon (RFC 9112, 8).
   */
  get requestWritten(): boolean {
    return this.written;
  }

  /** Status and headers, once they have arrived, even when the body never does. */
  get answerHead(): Answer | undefined {
    return this.head;
  }

  readonly request = (options: RequestOptions, onResponse: OnResponse): ClientRequest => {
    const { request } = options.protocol === 'https:' ? https : http;
    const outgoing = request(options, onResponse);
    return outgoing
      .once('finish', () => (this.written = !isHandshaking(outgoing.socket)))
      .once('response', ({ statusCode = 0, headers }: IncomingMessage) => {
        this.head = { status: statusCode, headers };
      });
  };
}

/**
 * A TLS connection that fails reports what was waiting for the handshake as written, although nothing left.
 * Node shows the state only by this undocumented property; without it the answer is the cautious one.
 */
function isHandshaking(socket: (Socket & { secureConnecting?: boolean }) | null): boolean {
  return socket?.secureConnecting === true;
}
