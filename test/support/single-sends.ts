import { SingleSends } from '../../src/emails/delivery/single-sends.js';
import { monotonicClock } from '../../src/platform/clock/clock.js';

/** No single sends, so that broadcasts never give way. */
export const noSingleSends = new SingleSends(monotonicClock, { busyShare: 0 });
