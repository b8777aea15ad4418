import type { EngagementEvent } from '../engagement-event.js';
import type { RecipientEvent } from '../recipient-event.js';

/** An event that passes through the stream. Its `id` is a UUIDv7 at the time of the event. */
export type StreamEvent = EngagementEvent | RecipientEvent;

/** An ID or a tracking ID. */
export function emailOf(event: StreamEvent): string {
  return event.type === 'recipient' ? event.email : event.emailTrackingId;
}
