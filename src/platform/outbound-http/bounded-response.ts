import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { DeadlineError } from '../clock/with-deadline.js';

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The first bytes of the body, or what arrived of them. */
  readonly body: Buffer;
}

/** The client closes the connection instead of reading a longer response body. */
const MAX_BODY_BYTES = 16 * 1024;
/**
 * Time for the body once the headers have arrived. The body only explains the status, but a receiver that is cut off
 * may abort its work.
 */
const BODY_MS = 5_000;
/**
 * Bytes before the headers are complete, at most: far more than they may have. Node limits neither interim responses
 * (1xx) nor empty lines, which a hostile server sends until the deadline and faster than a process can parse them.
 */
const MAX_HEAD_BYTES = 32 * 1024;

/**
 * Sends the body of a request and returns the response. The status counts as soon as its headers are complete, even if
 * the body is cut, invalid or slow.
 * @throws DeadlineError and the errors of sockets and lookups, all before the headers are complete
 */
export async function responseTo(
  request: ClientRequest,
  { body, keepBytes }: { readonly body: string; readonly keepBytes: number },
  signal: AbortSignal,
): Promise<HttpResponse> {
  const head = headOf(request, signal);
  limitHead(request);
  request.end(body);
  const response = await head;
  const start = await startOf(response, signal);
  const kept = Buffer.from(start.subarray(0, keepBytes)); // a copy, so that the rest can be freed
  return { status: response.statusCode ?? 0, headers: response.headers, body: kept };
}

/**
 * Always settles: on a protocol upgrade, which emits no response event, on a connection that closes without an error,
 * and on the deadline.
 */
function headOf(request: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new DeadlineError()), { once: true });
    request
      .on('error', reject) // not once: a second error would be unhandled
      .once('close', () => reject(Object.assign(new Error('Closed without a response'), { code: 'ECONNRESET' })))
      .once('upgrade', (response: IncomingMessage, socket: Socket) => {
        socket.destroy();
        resolve(response.destroy());
      })
      .once('response', resolve);
  });
}

function limitHead(request: ClientRequest): void {
  let left = MAX_HEAD_BYTES;
  request.once('socket', (socket: Socket) => {
    const count = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) request.destroy(Object.assign(new Error('The head is too long'), { code: 'HPE_HEADER_OVERFLOW' }));
    };
    const stop = (): void => {
      left = Infinity; // the chunk that completes the headers may contain much of the body, too
      socket.off('data', count);
    };
    socket.on('data', count);
    request.once('response', stop).once('upgrade', stop).once('close', stop);
  });
}

/** Never rejects: a body that is cut off ends there. */
async function startOf(response: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stop = (): void => void response.destroy();
  const timer = setTimeout(stop, BODY_MS);
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= MAX_BODY_BYTES) break; // leaving the loop destroys the connection
    }
  } catch {
    response.destroy();
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}
