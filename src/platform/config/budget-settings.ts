import { planLimits } from './plan-limits.js';
import type { Variable } from './setting-types.js';

const HOW = 'as plan=limit,… or one limit for all plans (0, empty or not named: none)';

/** What an organization may use, by its plan. */
export const budgetVariables = {
  BUDGET_EMAILS_PER_DAY: planLimits({
    description: `Emails per organization and day in UTC, each counted once per recipient, ${HOW}`,
    default: 'free=1000000,pro=100000000',
  }),
  BUDGET_STORED_BYTES: planLimits({
    description: `Bytes of content and attachments that an organization may store, ${HOW}`,
    default: 'free=100000000000,pro=10000000000000',
  }),
  BUDGET_RENDER_SECONDS_PER_MINUTE: planLimits({
    description: `Seconds of rendering that the requests of an organization may cause per minute, ${HOW}`,
    default: 'free=600,pro=6000',
  }),
  BUDGET_EVENTS_PER_EMAIL_PER_MINUTE: planLimits({
    description: `Opens and clicks per email and minute that are stored and sent to webhooks individually, across all processes and in addition to EVENTS_PER_EMAIL_PER_MINUTE; further ones are only counted; ${HOW}`,
    default: '0',
  }),
  BUDGET_DOMAINS: planLimits({
    description: `Sending domains per organization (in any case at most 100), ${HOW}`,
    default: '0',
  }),
  BUDGET_WEBHOOKS: planLimits({
    description: `Webhooks per organization (in any case at most 10), ${HOW}`,
    default: '0',
  }),
} satisfies Record<string, Variable<unknown>>;
