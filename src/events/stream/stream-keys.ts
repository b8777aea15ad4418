/** The Redis stream of events. The braces keep all keys of the stream in one Redis Cluster slot. */
export const EVENT_STREAM = '{mailbeacon}:events';

/** Written to find out whether Redis takes writes again. */
export const WRITE_CHECK_KEY = `${EVENT_STREAM}:write-check`;

/** The only field of an entry; its value is the packed events. */
export const ENTRY_FIELD = 'e';

/** The consumer group of the flushers. */
export const FLUSHER_GROUP = 'flushers';

/** The consumer group that writes to the event store, if there is one. */
export const STORE_GROUP = 'event-store';

/** The packed events of an entry; undefined when it has no such field. @param fields names and values in turns */
export function packedEventsOf(fields: readonly Buffer[]): Buffer | undefined {
  const at = fields.findIndex((field, index) => index % 2 === 0 && field.toString('latin1') === ENTRY_FIELD);
  return at === -1 ? undefined : fields[at + 1];
}
