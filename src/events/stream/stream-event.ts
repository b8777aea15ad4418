import type { EngagementEvent } from '../engagement-event.js';
import type { RecipientEvent } from '../recipient-event.js';

/** An event that passes through the stream. Its `id` is a UUIDv7 at the time of the event. */
export type StreamEvent = EngagementEvent | RecipientEvent;
