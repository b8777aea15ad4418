import type { Readable } from 'node:stream';
import { MAX_READ_BYTES } from './mail-message.js';

/** Reads a message to its end, but keeps only the beginning, which will be parsed. */
export function readBeginning(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      if (size < MAX_READ_BYTES) chunks.push(chunk);
      size += chunk.length;
    });
    stream.once('end', () => resolve(Buffer.concat(chunks)));
    stream.once('error', reject);
    stream.once('close', () => reject(new Error('The message is incomplete')));
  });
}
