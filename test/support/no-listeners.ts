import type { LivePublisher } from '../../src/events/live/live-publisher.js';
import type { WorkListener, WorkNotifier } from '../../src/platform/queue/work-notifications.js';

/** For parts under test that are built without a service: nothing subscribes to their changes. */
export const NO_LISTENERS = { report: () => undefined } as unknown as LivePublisher;

/** For parts that are built without a worker. */
export const NO_WORKERS = { notify: () => undefined } as unknown as WorkNotifier;
/** A worker that gets no notifications. */
export const NO_NOTIFICATIONS = {
  ...{ on: () => undefined, stop: () => undefined },
  idleMs: (ms: number) => ms,
} as unknown as WorkListener;
