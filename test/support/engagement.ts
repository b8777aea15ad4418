import type { Verdict } from '../../src/events/verdict.js';
import type { EngagementStats } from '../../src/events/engagement-stats.js';

/** Statistics of an email or a campaign that no one has opened. */
export const NO_ENGAGEMENT: EngagementStats = {
  people: { opens: 0, clicks: 0, uniqueOpens: 0, uniqueClicks: 0, openRate: 0, clickRate: 0 },
  machines: { opens: 0, clicks: 0, byClass: { prefetch: 0, preview: 0, scanner: 0, bot: 0 } },
};

/** Matches the engagement fields of any response, for tests that do not check who caused a hit. */
export const ANY_ENGAGEMENT = {
  people: expect.any(Object) as unknown,
  machines: expect.any(Object) as unknown,
};

/** Matches the verdict of any open or click. */
export const ANY_VERDICT = {
  class: expect.any(String) as Verdict['class'],
  reason: expect.any(String) as string,
  certainty: expect.any(String) as Verdict['certainty'],
};
