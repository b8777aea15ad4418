import type { EngagementEvent } from '../events/engagement-event.js';
import type { AppendListener } from '../events/stream/event-appender.js';

/** Accepts events, and reports when each one is stored durably or lost. */
export interface EventSink {
  appendFor(event: EngagementEvent, listener: AppendListener): void;
}
