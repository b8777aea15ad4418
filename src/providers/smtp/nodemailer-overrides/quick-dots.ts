import type { Transform, TransformCallback } from 'node:stream';

/** The state of nodemailer's stream that doubles the dots at the start of lines and ends the content. */
export interface DotStream extends Transform {
  inByteCount: number;
  outByteCount: number;
  /** False before the first byte. */
  lastByte: number | false;
}

const [LF, CR, DOT] = [0x0a, 0x0d, 0x2e];
/** A line end that is not CRLF. */
const BARE_LINE_END = /\r(?!\n)|(?<!\r)\n/;

/**
 * Makes the stream search for dots with the built-in search instead of byte by byte, which took a sixth of the worker's
 * main thread. Chunks whose line ends must be corrected still take the slow path. Other streams stay unchanged.
 */
export function searchDotsQuickly(stream: object): void {
  if (!isDotStream(stream)) return;
  const slowly = stream._transform.bind(stream);
  stream._transform = (chunk: Buffer, encoding: BufferEncoding, done: TransformCallback): void => {
    const { lastByte } = stream;
    const beginsWithDot = chunk[0] === DOT && (lastByte === LF || lastByte === false);
    const text = Buffer.isBuffer(chunk) && chunk.length > 0 ? chunk.toString('latin1') : undefined;
    if (text === undefined || lastByte === CR || beginsWithDot || BARE_LINE_END.test(text))
      return slowly(chunk, encoding, done);
    const stuffed = text.includes('\n.') ? Buffer.from(text.replaceAll('\n.', '\n..'), 'latin1') : chunk;
    stream.inByteCount += chunk.length;
    stream.outByteCount += stuffed.length;
    stream.lastByte = chunk[chunk.length - 1]!;
    done(null, stuffed);
  };
}

function isDotStream(stream: object): stream is DotStream {
  return ['inByteCount', 'outByteCount', 'lastByte', '_transform'].every((name) => name in stream);
}
