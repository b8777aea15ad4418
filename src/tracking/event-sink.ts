import type { EngagementEvent } from '../events/engagement-event.js';
import type { AppendListener } from '../events/stream/event-appender.js';

/** Takes events, and reports when one is stored durably or that it is lost. */
export interface EventSink {
  appendFor(event: EngagementEvent, listener: AppendListener): void;
}
