import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Reads the body of a request that needs few bytes. Stops at the limit, so a connection holds no more than that.
 * @param limit in bytes
 * @returns `incomplete` when the client disconnects before the end
 */
export function readShortBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
): Promise<Buffer | 'too-large' | 'incomplete'> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve('too-large');
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) return void chunks.push(chunk);
      request.pause().removeAllListeners('data');
      resolve('too-large');
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', () => resolve('incomplete'));
    request.on('close', () => resolve('incomplete'));
  });
}
