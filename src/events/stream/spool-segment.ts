import { crc32 } from 'node:zlib';

/**
 * A segment file is records, one after another: length u32, CRC-32 of the payload u32, payload. Big-endian. A payload
 * has at least one byte: zeros, which a disk may leave behind after a crash, are not records.
 */
const HEAD_BYTES = 8;
/** The search for the next whole record behind a damaged one considers only payloads up to this size. */
const LONGEST_FOUND_BYTES = 256 * 1024;

/** @throws RangeError when the payload is empty */
export function encodeSegmentRecord(payload: Buffer): Buffer {
  if (payload.length === 0) throw new RangeError('A spooled payload has at least one byte');
  const record = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  record.writeUInt32BE(payload.length, 0);
  record.writeUInt32BE(crc32(payload), 4);
  payload.copy(record, HEAD_BYTES);
  return record;
}

export interface SegmentContent {
  readonly payloads: readonly Buffer[];
  /** True when a record that was acknowledged cannot be read: the disk lost it. */
  readonly damaged: boolean;
}

/**
 * Reads every whole record. Damage costs the record it hits and no other: the next whole record is searched for by
 * its CRC, and a record whose length alone is wrong is recovered, because it ends where the next one begins.
 */
export function readSegment(bytes: Buffer): SegmentContent {
  const payloads: Buffer[] = [];
  let damaged = false;
  let at = 0;
  while (at < bytes.length) {
    const end = endOfRecord(bytes, at);
    const next = end ?? nextRecordBehind(bytes, at) ?? bytes.length;
    const payload = bytes.subarray(at + HEAD_BYTES, next);
    if (end !== undefined || hasCrcOf(payload, bytes, at)) payloads.push(payload);
    else damaged ||= next < bytes.length || !isUnfinished(bytes, at);
    at = next;
  }
  return { payloads, damaged };
}

/** Where the record at `at` ends; undefined when there is no whole record. */
function endOfRecord(bytes: Buffer, at: number): number | undefined {
  const end = statedEnd(bytes, at);
  if (end === undefined || end > bytes.length) return undefined;
  return hasCrcOf(bytes.subarray(at + HEAD_BYTES, end), bytes, at) ? end : undefined;
}

/** Where the record at `at` says that it ends; undefined when no record can be there. */
function statedEnd(bytes: Buffer, at: number): number | undefined {
  if (at + HEAD_BYTES >= bytes.length) return undefined;
  const length = bytes.readUInt32BE(at);
  return length === 0 ? undefined : at + HEAD_BYTES + length;
}

function hasCrcOf(payload: Buffer, bytes: Buffer, at: number): boolean {
  return payload.length > 0 && crc32(payload) === bytes.readUInt32BE(at + 4);
}

/** The nearest whole record: the stated length may be what is damaged, and may lead beyond others. */
function nextRecordBehind(bytes: Buffer, at: number): number | undefined {
  for (let next = at + 1; next + HEAD_BYTES < bytes.length; next++) {
    // Most places are ruled out by the first byte of a plausible length.
    if (bytes[next] !== 0 || bytes.readUInt32BE(next) > LONGEST_FOUND_BYTES) continue;
    if (endOfRecord(bytes, next) !== undefined) return next;
  }
  const stated = statedEnd(bytes, at);
  return stated !== undefined && endOfRecord(bytes, stated) !== undefined ? stated : undefined;
}

/**
 * Whether what begins at `at` is the write that a crash interrupted, which was acknowledged to nobody: the beginning
 * of a record, or zeros that the file system left in its place.
 */
function isUnfinished(bytes: Buffer, at: number): boolean {
  const rest = bytes.subarray(at);
  if (rest.length <= HEAD_BYTES || rest.every((byte) => byte === 0)) return true;
  const length = bytes.readUInt32BE(at);
  return length <= LONGEST_FOUND_BYTES && at + HEAD_BYTES + length > bytes.length;
}
