import type { DeadLetter } from '../dead-letters/dead-letters.js';
import { decodeEntry } from '../stream/codec/event-codec.js';
import type { StreamEntry } from '../stream/stream-entry.js';
import type { RecipientEvent } from '../recipient-event.js';
import type { ReceivedEvent } from './flush-batch.js';

/** An entry delivered more often than this has probably crashed its flushers, the last of which read it alone. */
const MAX_DELIVERIES = 10;

/** The events of stream entries, and the records that could not be decoded. */
export interface DecodedEntries {
  readonly entryIds: readonly string[];
  /** Opens, clicks and sends. */
  readonly events: readonly ReceivedEvent[];
  /** Reports about recipients. */
  readonly reports: readonly ReceivedEvent<RecipientEvent>[];
  readonly deadLetters: readonly DeadLetter[];
}

/** Never throws, regardless of the content of the entries. */
export function decodeEntries(entries: readonly StreamEntry[]): DecodedEntries {
  const events: ReceivedEvent[] = [];
  const reports: ReceivedEvent<RecipientEvent>[] = [];
  const deadLetters: DeadLetter[] = [];
  for (const { id: streamEntryId, packed, raw, deliveries } of entries) {
    if (!raw) continue; // deleted before it was acknowledged: nothing is left to store
    if (!packed) deadLetters.push({ streamEntryId, payload: raw, reason: 'missing-field' });
    else if (deliveries > MAX_DELIVERIES) {
      deadLetters.push({ streamEntryId, payload: packed, reason: 'too-many-deliveries' });
    } else {
      const decoded = decodeEntry(packed);
      for (const event of decoded.events) {
        if (event.type === 'recipient') reports.push({ event, streamEntryId });
        else events.push({ event, streamEntryId });
      }
      for (const { bytes, reason } of decoded.undecodable) deadLetters.push({ streamEntryId, payload: bytes, reason });
    }
  }
  return { entryIds: entries.map(({ id }) => id), events, reports, deadLetters };
}
