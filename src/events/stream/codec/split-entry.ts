import { ENTRY_VERSION, packEntry, RECORD_LENGTH_BYTES } from './event-codec.js';

/**
 * The records of an entry, each as a separate entry with the same bytes; the last one may be cut. An entry of another
 * version stays whole.
 */
export function splitEntry(entry: Buffer): Buffer[] {
  if (entry[0] !== ENTRY_VERSION) return [entry];
  const entries: Buffer[] = [];
  for (let at = 1; at < entry.length;) {
    const start = at + RECORD_LENGTH_BYTES;
    const end = start <= entry.length ? start + entry.readUInt32BE(at) : Infinity;
    entries.push(packEntry([entry.subarray(at, end)]));
    at = end;
  }
  return entries;
}

/** The inverse of `splitEntry` for several entries of this version. */
export function joinEntries(entries: readonly Buffer[]): Buffer {
  return packEntry(entries.map((entry) => entry.subarray(1)));
}
