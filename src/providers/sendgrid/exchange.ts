import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
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
    return request(options, onResponse)
      .once('finish', () => (this.written = true))
      .once('response', ({ statusCode = 0, headers }: IncomingMessage) => {
        this.head = { status: statusCode, headers };
      });
  };
}
