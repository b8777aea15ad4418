import { crc32 } from 'node:zlib';

/** A segment file is records, one after another: length u32, CRC-32 of the payload u32, payload. Big-endian. */
const HEAD_BYTES = 8;

export function encodeSegmentRecord(payload: Buffer): Buffer {
  const record = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  record.writeUInt32BE(payload.length, 0);
  record.writeUInt32BE(crc32(payload), 4);
  payload.copy(record, HEAD_BYTES);
  return record;
}

export interface SegmentContent {
  readonly payloads: readonly Buffer[];
  /** True when a record with others behind it is unreadable: the disk lost what had been acknowledged. */
  readonly damaged: boolean;
}

/**
 * Reads whatever is whole. A torn last record is no damage: the crash that tore it came before its write was
 * acknowledged to anybody.
 */
export function readSegment(bytes: Buffer): SegmentContent {
  const payloads: Buffer[] = [];
  let damaged = false;
  let at = 0;
  while (at + HEAD_BYTES <= bytes.length) {
    const end = at + HEAD_BYTES + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    const payload = bytes.subarray(at + HEAD_BYTES, end);
    if (crc32(payload) === bytes.readUInt32BE(at + 4)) payloads.push(payload);
    else if (end < bytes.length) damaged = true;
    at = end;
  }
  return { payloads, damaged };
}
