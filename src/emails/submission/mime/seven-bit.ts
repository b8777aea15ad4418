import { isAscii } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';

/** Bytes that are read in one turn of the event loop. */
const SLICE_BYTES = 1024 * 1024;
/** Characters of a line (RFC 5322, 2.1.1). */
const LONGEST_LINE = 998;
const CR = 0x0d;
const LF = 0x0a;

/** True for content that needs no transfer encoding: lines of ASCII that end with CRLF (RFC 2045, 2.7). */
export async function isSevenBit(bytes: Buffer): Promise<boolean> {
  if (!isAscii(bytes) || bytes.at(-1) === CR) return false;
  let [length, last] = [0, 0];
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    for (const byte of bytes.subarray(from, from + SLICE_BYTES)) {
      if (byte === 0 || (byte === LF) !== (last === CR)) return false;
      if (byte === LF) length = 0;
      else if (byte !== CR && ++length > LONGEST_LINE) return false;
      last = byte;
    }
    await setImmediate();
  }
  return true;
}
