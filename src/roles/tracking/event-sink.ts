import type { StreamEvent } from '../../events/stream/stream-event.js';
import type { AppendListener } from '../../events/stream/event-appender.js';

/** Accepts events, and reports when each one is stored durably or lost. */
export interface EventSink {
  appendFor(event: StreamEvent, listener: AppendListener): void;
}
