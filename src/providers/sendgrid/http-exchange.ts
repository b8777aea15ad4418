import http, { type IncomingMessage } from 'node:http';
import https, { type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Answer } from './sendgrid-response.js';

/** How an exchange ended: with an answer, or without one. */
export type ExchangeEnd =
  | { readonly answer: Answer }
  | {
      readonly error: Error;
      /**
       * True once the last byte of the request was handed to the operating system. Before that the server cannot
       * have the whole body, and an incomplete request is never acted upon (RFC 9112, 8).
       */
      readonly requestWritten: boolean;
    };

const LARGEST_ANSWER_BYTES = 64 * 1024;

/**
 * Posts a body and reads the answer. A status is an answer, even when the rest of it is cut off or longer than 64 KB.
 * Made of Node's own client, since only this one says when the last byte left. Rejects when the options make no
 * request, and never afterwards.
 * @param options where to, with which headers and by which agent
 * @param signal ends everything, the wait for a free connection too
 * @param mayBegin asked once a connection is there; nothing leaves when it says no
 */
export function exchange(
  options: RequestOptions,
  body: string,
  signal: AbortSignal,
  mayBegin: () => Promise<boolean>,
): Promise<ExchangeEnd> {
  return new Promise((resolve) => {
    const { request } = options.protocol === 'https:' ? https : http;
    let requestWritten = false;
    let hasHead = false;
    const end = (ended: ExchangeEnd): void => {
      signal.removeEventListener('abort', abort);
      resolve(ended);
    };
    const fail = (error: Error): void => {
      if (!hasHead) end({ error, requestWritten });
    };
    const outgoing = request(options, (incoming) => {
      hasHead = true;
      void readAnswer(incoming).then((answer) => end({ answer }));
    });
    // Not left to Node: a request that waits for a connection would notice only when it gets one.
    const abort = (): void => {
      fail(signal.reason as Error);
      outgoing.destroy();
    };
    signal.addEventListener('abort', abort);
    outgoing
      .once('finish', () => (requestWritten = !isHandshaking(outgoing.socket)))
      .on('error', fail)
      .once('socket', (socket: Socket) => {
        whenConnected(socket, () => {
          void mayBegin().then((may) => (may ? outgoing.end(body) : outgoing.destroy(new Error('Called off'))));
        });
      });
  });
}

/** Never rejects: what was cut off is left out. */
function readAnswer(incoming: IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, headers } = incoming;
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    incoming
      .on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > LARGEST_ANSWER_BYTES) incoming.destroy();
      })
      .on('end', () => resolve({ status, headers, body: parsed(Buffer.concat(chunks).toString()) }))
      .on('error', () => undefined)
      .on('close', () => resolve({ status, headers }));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function whenConnected(socket: Socket, begin: () => void): void {
  if (isHandshaking(socket)) socket.once('secureConnect', begin);
  else if (socket.connecting) socket.once('connect', begin);
  else begin();
}

/**
 * A TLS connection that fails reports what was waiting for the handshake as written, although nothing left.
 * Node shows the state only by this undocumented property; without it the answer is the cautious one.
 */
function isHandshaking(socket: (Socket & { secureConnecting?: boolean }) | null): boolean {
  return socket?.secureConnecting === true;
}
