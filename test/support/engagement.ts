import type { Verdict } from '../../src/events/verdict.js';
import type { EngagementStats } from '../../src/events/engagement-stats.js';

/** Of an email or a campaign that nobody has opened. */
export const NO_ENGAGEMENT: EngagementStats = {
  people: { opens: 0, clicks: 0, uniqueOpens: 0, uniqueClicks: 0, openRate: 0, clickRate: 0 },
  machines: { opens: 0, clicks: 0, byClass: { prefetch: 0, preview: 0, scanner: 0, bot: 0 } },
};

/** For responses about real hits, in tests of something else than who caused them. */
export const ANY_ENGAGEMENT = {
  people: expect.any(Object) as unknown,
  machines: expect.any(Object) as unknown,
};

/** The same for an open or a click. */
export const ANY_VERDICT = {
  class: expect.any(String) as Verdict['class'],
  reason: expect.any(String) as string,
  certainty: expect.any(String) as Verdict['certainty'],
};
