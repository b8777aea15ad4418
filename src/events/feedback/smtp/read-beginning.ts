import type { Readable } from 'node:stream';
import { MAX_READ_BYTES } from './mail-message.js';

/** More than most notifications have. */
const FIRST_ROOM = 16 * 1024;

/**
 * Reads a message to its end, but keeps only the beginning, which will be parsed. Copies the chunks: a message of short
 * lines that begin with a dot arrives in chunks of three bytes, and their objects need forty times as much memory.
 */
export function readBeginning(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let room: Buffer = Buffer.alloc(0);
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      const end = Math.min(length + chunk.length, MAX_READ_BYTES);
      if (end > room.length) room = grown(room, end);
      length += chunk.copy(room, length, 0, end - length);
    });
    stream.once('end', () => resolve(room.subarray(0, length)));
    stream.once('error', reject);
    stream.once('close', () => reject(new Error('The message is incomplete')));
  });
}

/** At least twice as large, so that a message is copied few times. */
function grown(room: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.min(MAX_READ_BYTES, Math.max(size, 2 * room.length, FIRST_ROOM)));
  room.copy(larger);
  return larger;
}
