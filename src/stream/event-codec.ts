import { isUtf8 } from 'node:buffer';
import type { EngagementEvent } from './engagement-event.js';

/**
 * Events as they travel through the stream and lie in the spool, many in one entry:
 *
 *     entry   version u8 (1), record*
 *     record  length u32 of what follows, type u8, event id 16 bytes, tracking id length u8, tracking id
 *             (ASCII); a click goes on with link position u16 and, up to the record's end, the URL (UTF-8)
 *
 * All numbers are big-endian. The length in front lets an older build step over a type that it does not know.
 */
const VERSION = 1;
const TYPE_CODES = { sent: 1, opened: 2, clicked: 3 } as const;
const LENGTH_BYTES = 4;
const UUID_BYTES = 16;
const HEAD_BYTES = 1 + UUID_BYTES + 1;
const POSITION_BYTES = 2;

/** Why bytes could not be read as an event. */
export type UndecodableReason = 'unknown-version' | 'unknown-type' | 'malformed';

export interface DecodedEntry {
  readonly events: readonly EngagementEvent[];
  /** What could not be read, each as an entry of its own that a newer build may read. */
  readonly undecodable: readonly { readonly bytes: Buffer; readonly reason: UndecodableReason }[];
}

/**
 * One event as a record.
 * @throws RangeError when a field does not fit the format.
 */
export function encodeEvent(event: EngagementEvent): Buffer {
  const trackingId = event.emailTrackingId;
  const urlBytes = event.type === 'clicked' ? Buffer.byteLength(event.url) : 0;
  const bodyBytes = HEAD_BYTES + trackingId.length + (event.type === 'clicked' ? POSITION_BYTES + urlBytes : 0);
  const record = Buffer.allocUnsafe(LENGTH_BYTES + bodyBytes);
  let at = record.writeUInt32BE(bodyBytes, 0);
  at = record.writeUInt8(TYPE_CODES[event.type], at);
  if (writeUuid(record, event.id, at) !== UUID_BYTES) throw new RangeError('The event id is not a UUID');
  at = record.writeUInt8(trackingId.length, at + UUID_BYTES);
  at += record.write(trackingId, at, 'latin1');
  if (event.type === 'clicked') {
    at = record.writeUInt16BE(event.linkPosition, at);
    record.write(event.url, at, 'utf8');
  }
  return record;
}

/** Packs records into one entry. */
export function packEntry(records: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.of(VERSION), ...records]);
}

/** Reads an entry of any origin; never throws. */
export function decodeEntry(entry: Buffer): DecodedEntry {
  if (entry[0] !== VERSION) return { events: [], undecodable: [{ bytes: entry, reason: 'unknown-version' }] };
  const events: EngagementEvent[] = [];
  const undecodable: { bytes: Buffer; reason: UndecodableReason }[] = [];
  let at = 1;
  while (at < entry.length) {
    const end = at + LENGTH_BYTES <= entry.length ? at + LENGTH_BYTES + entry.readUInt32BE(at) : Infinity;
    const record = entry.subarray(at, end);
    const event = end > entry.length ? 'malformed' : decodeRecord(record.subarray(LENGTH_BYTES));
    if (typeof event === 'string') undecodable.push({ bytes: packEntry([record]), reason: event });
    else events.push(event);
    at = end;
  }
  return { events, undecodable };
}

function decodeRecord(body: Buffer): EngagementEvent | UndecodableReason {
  if (body.length < HEAD_BYTES) return 'malformed';
  const idEnd = HEAD_BYTES + body[HEAD_BYTES - 1]!;
  const id = readUuid(body, 1);
  if (idEnd > body.length || id === undefined) return 'malformed';
  const emailTrackingId = body.toString('latin1', HEAD_BYTES, idEnd);
  const rest = body.subarray(idEnd);
  switch (body[0]) {
    case TYPE_CODES.sent:
      return rest.length === 0 ? { type: 'sent', id, emailTrackingId } : 'malformed';
    case TYPE_CODES.opened:
      return rest.length === 0 ? { type: 'opened', id, emailTrackingId } : 'malformed';
    case TYPE_CODES.clicked: {
      const url = rest.subarray(POSITION_BYTES);
      if (rest.length < POSITION_BYTES || !isUtf8(url)) return 'malformed';
      return { type: 'clicked', id, emailTrackingId, linkPosition: rest.readUInt16BE(0), url: url.toString('utf8') };
    }
    default:
      return 'unknown-type';
  }
}

/** Returns how many bytes were written: 16 for a UUID in its canonical text form. */
function writeUuid(target: Buffer, id: string, at: number): number {
  const hex = id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24, 36);
  return target.write(hex, at, 'hex');
}

/** The UUIDv7 at `at`; undefined for any other kind, because the time of the event is read from it. */
function readUuid(source: Buffer, at: number): string | undefined {
  if (source[at + 6]! >> 4 !== 7 || source[at + 8]! >> 6 !== 2) return undefined;
  const hex = source.toString('hex', at, at + UUID_BYTES);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
