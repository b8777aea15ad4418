import { isUtf8 } from 'node:buffer';
import { isUuid } from '../../../platform/clock/uuid-v7.js';
import { NO_SIGN } from '../../verdict.js';
import { readRecipient, recipientLength, writeRecipient } from './recipient-record.js';
import { hasMachines, readSum, readSumWithMachines, sumLength, writeSum } from './sum-record.js';
import { readUuid, UUID_BYTES, writeUuid } from './uuid-bytes.js';
import { emailOf, type StreamEvent } from '../stream-event.js';

/**
 * The format of events in the stream and the spool, many in one entry:
 *
 *     entry   version u8 (1), record*
 *     record  length u32 of what follows, type u8, event id 16 bytes, tracking id length u8, tracking id
 *             (ASCII); then an open or a click with a verdict has its code u8; a click has the link position u16
 *             and, up to the record's end, the URL (UTF-8); a sum as `sum-record` says; a recipient event names the
 *             email by ID or tracking ID and continues as `recipient-record` says
 *
 * All numbers are big-endian. The length prefix lets an older build skip a type that it does not know. An event
 * without a sign of a machine keeps its older type, so that an older build still reads it.
 */
export const ENTRY_VERSION = 1;
const TYPE_CODES = { sent: 1, opened: 2, clicked: 3, summed: 4, recipient: 5 } as const;
const VERDICT_TYPE_CODES = { opened: 6, clicked: 7, summed: 8 } as const;
export const RECORD_LENGTH_BYTES = 4;
const HEAD_BYTES = 1 + UUID_BYTES + 1;
const VERDICT_BYTES = 1;
const POSITION_BYTES = 2;

/** Why bytes could not be decoded as an event. */
type UndecodableReason = 'unknown-version' | 'unknown-type' | 'malformed';

type Click = Extract<StreamEvent, { type: 'clicked' }>;

export interface DecodedEntry {
  readonly events: readonly StreamEvent[];
  /** The undecodable records, each as a separate entry that a newer build may decode. */
  readonly undecodable: readonly { readonly bytes: Buffer; readonly reason: UndecodableReason }[];
}

const MAX_TRACKING_ID_LENGTH = 255;
const MAX_POSITION = 0xffff;
const MAX_VERDICT = 0xff;

/**
 * The length of the event's record in bytes.
 * @throws RangeError when a field does not fit the format
 */
export function recordLength(event: StreamEvent): number {
  if (!isUuid(event.id)) throw new RangeError('The event id is not a UUID');
  const { length } = emailOf(event);
  if (length > MAX_TRACKING_ID_LENGTH) throw new RangeError('The length of the tracking id is out of range');
  if (event.type === 'recipient') return RECORD_LENGTH_BYTES + HEAD_BYTES + length + recipientLength(event);
  if (event.type === 'summed') return RECORD_LENGTH_BYTES + HEAD_BYTES + length + sumLength(event);
  if (event.type === 'sent') return RECORD_LENGTH_BYTES + HEAD_BYTES + length;
  const verdict = event.verdict ?? NO_SIGN;
  if (!(verdict >= 0 && verdict <= MAX_VERDICT)) throw new RangeError('The verdict is out of range');
  const opened = RECORD_LENGTH_BYTES + HEAD_BYTES + length + (verdict === NO_SIGN ? 0 : VERDICT_BYTES);
  if (event.type === 'opened') return opened;
  const { linkPosition } = event;
  if (!(linkPosition >= 0 && linkPosition <= MAX_POSITION)) throw new RangeError('The link position is out of range');
  return opened + POSITION_BYTES + Buffer.byteLength(event.url);
}

/**
 * Packs events into one entry.
 * @param bytes the sum of `recordLength` over all events
 */
export function packEvents(events: readonly StreamEvent[], bytes: number): Buffer {
  const entry = Buffer.allocUnsafe(1 + bytes);
  entry[0] = ENTRY_VERSION;
  let at = 1;
  for (const event of events) at = writeRecord(entry, at, event);
  return entry;
}

/**
 * Encodes one event as a record.
 * @throws RangeError when a field does not fit the format
 */
export function encodeEvent(event: StreamEvent): Buffer {
  const record = Buffer.allocUnsafe(recordLength(event));
  writeRecord(record, 0, event);
  return record;
}

/** Packs records into one entry. */
export function packEntry(records: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.of(ENTRY_VERSION), ...records]);
}

/** Returns the end of the record. Short texts are written byte by byte, which is faster than the built-in call. */
function writeRecord(target: Buffer, start: number, event: StreamEvent): number {
  const { id } = event;
  const email = emailOf(event);
  let at = start + RECORD_LENGTH_BYTES;
  target[at++] = typeCodeOf(event);
  at = writeUuid(target, at, id);
  target[at++] = email.length;
  for (let index = 0; index < email.length; index++) target[at++] = email.charCodeAt(index);
  if ((event.type === 'opened' || event.type === 'clicked') && event.verdict) target[at++] = event.verdict;
  if (event.type === 'clicked') {
    at = target.writeUInt16BE(event.linkPosition, at);
    at += target.write(event.url, at, 'utf8');
  }
  if (event.type === 'summed') at = writeSum(target, at, event);
  if (event.type === 'recipient') at = writeRecipient(target, at, event);
  target.writeUInt32BE(at - start - RECORD_LENGTH_BYTES, start);
  return at;
}

function typeCodeOf(event: StreamEvent): number {
  switch (event.type) {
    case 'sent':
    case 'recipient':
      return TYPE_CODES[event.type];
    case 'opened':
    case 'clicked':
      return event.verdict ? VERDICT_TYPE_CODES[event.type] : TYPE_CODES[event.type];
    case 'summed':
      return hasMachines(event) ? VERDICT_TYPE_CODES.summed : TYPE_CODES.summed;
  }
}

/** Decodes untrusted entries; never throws. Decodes in place, because a view per record would double the cost. */
export function decodeEntry(entry: Buffer): DecodedEntry {
  if (entry[0] !== ENTRY_VERSION) return { events: [], undecodable: [{ bytes: entry, reason: 'unknown-version' }] };
  const events: StreamEvent[] = [];
  const undecodable: { bytes: Buffer; reason: UndecodableReason }[] = [];
  let at = 1;
  while (at < entry.length) {
    const start = at + RECORD_LENGTH_BYTES;
    const end = start <= entry.length ? start + entry.readUInt32BE(at) : Infinity;
    const event = end > entry.length ? 'malformed' : decodeRecord(entry, start, end);
    if (typeof event !== 'string') events.push(event);
    else undecodable.push({ bytes: packEntry([entry.subarray(at, end)]), reason: event });
    at = end;
  }
  return { events, undecodable };
}

function decodeRecord(entry: Buffer, start: number, end: number): StreamEvent | UndecodableReason {
  const trackingIdStart = start + HEAD_BYTES;
  if (end < trackingIdStart) return 'malformed';
  const trackingIdEnd = trackingIdStart + entry[trackingIdStart - 1]!;
  const id = readUuid(entry, start + 1);
  if (trackingIdEnd > end || id === undefined) return 'malformed';
  const emailTrackingId = entry.toString('latin1', trackingIdStart, trackingIdEnd);
  switch (entry[start]) {
    case TYPE_CODES.sent:
      return trackingIdEnd === end ? { type: 'sent', id, emailTrackingId } : 'malformed';
    case TYPE_CODES.opened:
      return trackingIdEnd === end ? { type: 'opened', id, emailTrackingId } : 'malformed';
    case VERDICT_TYPE_CODES.opened: {
      const verdict = entry[trackingIdEnd]!;
      const isWhole = trackingIdEnd + VERDICT_BYTES === end && verdict !== NO_SIGN;
      return isWhole ? { type: 'opened', id, emailTrackingId, verdict } : 'malformed';
    }
    case TYPE_CODES.clicked:
      return readClick(entry, trackingIdEnd, end, { id, emailTrackingId }) ?? 'malformed';
    case VERDICT_TYPE_CODES.clicked: {
      const verdict = entry[trackingIdEnd]!;
      if (trackingIdEnd === end || verdict === NO_SIGN) return 'malformed';
      return readClick(entry, trackingIdEnd + VERDICT_BYTES, end, { id, emailTrackingId, verdict }) ?? 'malformed';
    }
    case TYPE_CODES.summed:
      return readSum(entry, trackingIdEnd, end, { id, emailTrackingId }) ?? 'malformed';
    case VERDICT_TYPE_CODES.summed: {
      const sum = readSumWithMachines(entry, trackingIdEnd, end, { id, emailTrackingId });
      return sum === 'unknown' ? 'unknown-type' : (sum ?? 'malformed');
    }
    case TYPE_CODES.recipient: {
      const event = readRecipient(entry, trackingIdEnd, end, { id, email: emailTrackingId });
      return event === 'unknown' ? 'unknown-type' : (event ?? 'malformed');
    }
    default:
      return 'unknown-type';
  }
}

/** @returns undefined when the bytes are malformed */
function readClick(
  entry: Buffer,
  start: number,
  end: number,
  of: Pick<Click, 'id' | 'emailTrackingId' | 'verdict'>,
): Click | undefined {
  const urlStart = start + POSITION_BYTES;
  if (urlStart > end || !isUtf8(entry.subarray(urlStart, end))) return undefined;
  const linkPosition = entry.readUInt16BE(start);
  return { type: 'clicked', ...of, linkPosition, url: entry.toString('utf8', urlStart, end) };
}
