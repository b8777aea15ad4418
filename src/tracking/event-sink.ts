import type { EngagementEvent } from '../events/engagement-event.js';
import type { Appending } from '../events/stream/event-appender.js';

/** Takes events, and reports when one is stored durably or that it is lost. */
export interface EventSink {
  appendFor(event: EngagementEvent, appending: Appending): void;
}
