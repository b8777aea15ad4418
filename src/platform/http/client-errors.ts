import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { uuidV7 } from '../clock/uuid-v7.js';
import { headerLines } from './fast-path/static-response.js';
import { endAndLinger } from './lingering-close.js';
import { isExemptFromRequestTimeout } from './request-timeout.js';
import { statusMessageOf } from './status-messages.js';

const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
const PARSER_ERROR = 'HPE_';
const statusOfCode: Record<string, number> = { [REQUEST_TIMEOUT]: 408, HPE_HEADER_OVERFLOW: 431 };

/**
 * Responds to malformed or incomplete HTTP requests in the usual error format, then closes the connection. Node calls
 * it again for each piece of a malformed request that arrives later.
 */
export function refuseClientError({ code = '' }: { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || socket.destroyed || socket.writableEnded) return;
  if (code === REQUEST_TIMEOUT && isExemptFromRequestTimeout(socket)) return;
  const status = statusOfCode[code] ?? 400;
  const body = JSON.stringify({ error: statusMessageOf(status) });
  const headers = headerLines([
    ...['Content-Type', 'application/json; charset=utf-8'],
    ...['Content-Length', String(body.length)],
    ...['Cache-Control', 'no-store'],
    ...['X-Request-Id', uuidV7(Date.now())],
    ...['Connection', 'close'],
  ]);
  if (!socket.writable) return void socket.destroy();
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\n${body}`);
  // The connection is not parsed further after such an error. A request that was only slow could still be completed.
  if (code.startsWith(PARSER_ERROR)) endAndLinger(socket);
  else socket.destroy();
}
