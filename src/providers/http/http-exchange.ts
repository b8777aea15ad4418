import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https, { type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { ProviderResponse } from './provider-response.js';

/** The end of an exchange: a response or an error. */
export type ExchangeEnd =
  | { readonly response: ProviderResponse }
  | {
      /** A response, without its body, that came before the whole request was written. The rest was never sent. */
      readonly early: ProviderResponse;
      /** False when nothing was sent: the response is not about this request. */
      readonly hasBegun: boolean;
    }
  | {
      readonly error: Error;
      /** False if there was no connection to the server, so that it got nothing. */
      readonly connected: boolean;
      /**
       * True once the last byte of the request was passed to the operating system. Before that, the server cannot have
       * the whole body, and it must not process an incomplete request (RFC 9112, 8).
       */
      readonly requestWritten: boolean;
    };

/** Returns the body right before it is sent, or undefined to abort. */
export type BodySource = () => Promise<RequestBody | undefined>;

/** A request body whose length in bytes is known before it is written. */
export interface RequestBody {
  readonly length: number;
  /** Headers that depend on the body, such as a signature. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Everything except the end, generated while it is written. */
  readonly head?: AsyncIterable<string | Buffer>;
  /** The bytes that complete the body. */
  readonly end: string;
}

const MAX_RESPONSE_BYTES = 64 * 1024;
/**
 * Time for the body once the headers have arrived. It only explains the status, and the email holds its slot meanwhile.
 */
const BODY_MS = 5_000;

/**
 * Posts a body and reads the response. A status counts as a response, even if its body is truncated, slow or exceeds
 * 64 KB.
 * Uses Node's own client, because no other client reports when the last byte was written. Rejects only for invalid
 * options.
 * @param options target, headers and agent
 * @param bodyOf called once connected
 * @param signal aborts everything, including the wait for a free connection
 * @param mayComplete called right before the end of the body is sent; on false, the request is aborted
 */
export function exchange(
  options: RequestOptions,
  bodyOf: BodySource,
  signal: AbortSignal,
  mayComplete: () => Promise<boolean>,
): Promise<ExchangeEnd> {
  return new Promise((resolve) => {
    const { request } = options.protocol === 'https:' ? https : http;
    let connected = false;
    let requestWritten = false;
    let hasHead = false;
    const end = (ended: ExchangeEnd): void => {
      signal.removeEventListener('abort', abort);
      resolve(ended);
    };
    const fail = (error: Error): void => {
      if (!hasHead) end({ error, connected, requestWritten });
    };
    const outgoing = request(options, (incoming) => {
      hasHead = true;
      if (!requestWritten) {
        // Otherwise the server might process the complete request after all, whatever it responded.
        outgoing.destroy();
        return end({ early: headOf(incoming), hasBegun: outgoing.headersSent });
      }
      void readResponse(incoming).then((response) => end({ response }));
    });
    // Not the `signal` option of Node, which takes effect only once the request has a connection.
    const abort = (): void => {
      fail(signal.reason as Error);
      outgoing.destroy();
    };
    signal.addEventListener('abort', abort);
    outgoing
      .once('finish', () => (requestWritten = !isHandshaking(outgoing.socket)))
      .on('error', fail)
      // Node closes a connection that switches protocols, without an error.
      .once('close', () => fail(Object.assign(new Error('Closed without a response'), { code: 'ECONNRESET' })))
      .once('socket', (socket: Socket) => {
        whenConnected(socket, () => {
          connected = true;
          write(outgoing, bodyOf, mayComplete).catch((error: Error) => outgoing.destroy(error));
        });
      });
  });
}

/** @throws Error when the body cannot be created */
async function write(outgoing: ClientRequest, bodyOf: BodySource, mayComplete: () => Promise<boolean>): Promise<void> {
  const body = await bodyOf();
  if (!body) return abortBefore(outgoing);
  const { length, headers = {}, head, end } = body;
  if (outgoing.destroyed) return;
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  outgoing.setHeader('Content-Length', length);
  if (head) {
    for await (const piece of head) {
      if (outgoing.destroyed) return;
      if (!outgoing.write(piece)) await drained(outgoing);
    }
  }
  if (!(await mayComplete())) return abortBefore(outgoing);
  if (!outgoing.destroyed) outgoing.end(end);
}

function abortBefore(outgoing: ClientRequest): void {
  outgoing.destroy(new Error('Aborted before the request'));
}

/** Resolves when more may be written, or when nothing more can be written. */
function drained(outgoing: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      outgoing.off('drain', settle).off('close', settle);
      resolve();
    };
    outgoing.on('drain', settle).on('close', settle);
    if (outgoing.destroyed) settle();
  });
}

/** Never rejects: of a truncated body, it returns the part that arrived. */
function readResponse(incoming: IncomingMessage): Promise<ProviderResponse> {
  const head = headOf(incoming);
  const chunks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => incoming.destroy(), BODY_MS);
  return new Promise((resolve) => {
    incoming
      .on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MAX_RESPONSE_BYTES) incoming.destroy();
      })
      .on('end', () => {
        const body = parsed(Buffer.concat(chunks).toString());
        const encoding = incoming.headers['content-encoding']?.toLowerCase() ?? 'identity';
        // Compressed without having been asked for: it does not explain the status.
        if (typeof body === 'string' && encoding !== 'identity') return resolve({ ...head, body: '', isCut: true });
        resolve({ ...head, body });
      })
      .on('error', () => undefined)
      .on('close', () => {
        clearTimeout(timer);
        resolve({ ...head, body: Buffer.concat(chunks).toString(), isCut: true });
      });
  });
}

function headOf({ statusCode: status = 0, headers }: IncomingMessage): ProviderResponse {
  return { status, headers };
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
 * A failed TLS connection reports data that waited for the handshake as written, although nothing was sent.
 * Node exposes the state only by this undocumented property. Without it, the request safely counts as written.
 */
function isHandshaking(socket: (Socket & { secureConnecting?: boolean }) | null): boolean {
  return socket?.secureConnecting === true;
}
