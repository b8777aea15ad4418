import type { LivePublisher } from '../../src/events/live/live-publisher.js';

/** For parts under test that are built without a service: nothing subscribes to their changes. */
export const NO_LISTENERS = { report: () => undefined } as unknown as LivePublisher;
