import type { LivePublisher } from '../../src/events/live/live-publisher.js';

/** For parts that are built without a service: nobody listens to what they report. */
export const NO_LISTENERS = { report: () => undefined } as unknown as LivePublisher;
