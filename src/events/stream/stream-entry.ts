import { packedEventsOf } from './stream-keys.js';

export interface StreamEntry {
  readonly id: string;
  /** The packed events; undefined when the entry has no such field. */
  readonly packed: Buffer | undefined;
  /** The packed events, or the whole entry if it has none; undefined when it was deleted before it was acknowledged. */
  readonly raw: Buffer | undefined;
  /** Number of deliveries of the entry, as far as known: 1 for a new one. */
  readonly deliveries: number;
}

type RawEntry = [id: Buffer, fields: Buffer[] | null];

/** @param reply of XREADGROUP for one stream, or null when the wait ended without an entry */
export function entriesOf(reply: unknown): StreamEntry[] {
  const streams = (reply ?? []) as [key: Buffer, entries: RawEntry[]][];
  return streams.flatMap(([, entries]) => entries.map(toEntry));
}

function toEntry([id, fields]: RawEntry): StreamEntry {
  const packed = fields ? packedEventsOf(fields) : undefined;
  return { id: id.toString(), packed, raw: packed ?? (fields ? Buffer.concat(fields) : undefined), deliveries: 1 };
}
