import { crc32 } from 'node:zlib';

/**
 * A segment file is a sequence of records: length u32, CRC-32 of the payload u32, payload. Big-endian. A payload has
 * at least one byte, so zeros that a disk leaves after a crash are not records.
 */
const HEAD_BYTES = 8;
/** The search for the next intact record after a damaged one considers only payloads up to this size. */
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
  /** True when an acknowledged record cannot be read: the disk has lost it. */
  readonly damaged: boolean;
}

/**
 * Reads every intact record. Damage affects only the record it hits: the CRC locates the next intact record. A record
 * with only a wrong length is recovered, because it ends where the next one starts.
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

/** The end of the record at `at`; undefined when it is not intact. */
function endOfRecord(bytes: Buffer, at: number): number | undefined {
  const end = statedEnd(bytes, at);
  if (end === undefined || end > bytes.length) return undefined;
  return hasCrcOf(bytes.subarray(at + HEAD_BYTES, end), bytes, at) ? end : undefined;
}

/** The end of the record at `at` by its length field; undefined when there can be no record. */
function statedEnd(bytes: Buffer, at: number): number | undefined {
  if (at + HEAD_BYTES >= bytes.length) return undefined;
  const length = bytes.readUInt32BE(at);
  return length === 0 ? undefined : at + HEAD_BYTES + length;
}

function hasCrcOf(payload: Buffer, bytes: Buffer, at: number): boolean {
  return payload.length > 0 && crc32(payload) === bytes.readUInt32BE(at + 4);
}

/** The nearest intact record. The length field may be the damaged part, and may lead past other records. */
function nextRecordBehind(bytes: Buffer, at: number): number | undefined {
  for (let next = at + 1; next + HEAD_BYTES < bytes.length; next++) {
    // The first byte of a plausible length rules out most offsets.
    if (bytes[next] !== 0 || bytes.readUInt32BE(next) > LONGEST_FOUND_BYTES) continue;
    if (endOfRecord(bytes, next) !== undefined) return next;
  }
  const stated = statedEnd(bytes, at);
  return stated !== undefined && endOfRecord(bytes, stated) !== undefined ? stated : undefined;
}

/**
 * True when the bytes at `at` are the unacknowledged write that a crash interrupted: the start of a record, or zeros
 * left by the file system.
 */
function isUnfinished(bytes: Buffer, at: number): boolean {
  const rest = bytes.subarray(at);
  if (rest.length <= HEAD_BYTES || rest.every((byte) => byte === 0)) return true;
  const length = bytes.readUInt32BE(at);
  return length <= LONGEST_FOUND_BYTES && at + HEAD_BYTES + length > bytes.length;
}
