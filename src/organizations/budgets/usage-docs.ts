import { describeRoute } from '../../platform/openapi/describe-route.js';
import {
  dateTime,
  decimal,
  integer,
  nullable,
  object,
  string,
  type Described,
} from '../../platform/openapi/schemas.js';
import type { BudgetUsageView, UsageView } from './usage.js';

const limit = nullable(integer('What the plan allows; null means no limit', 1_000_000));
const renewal = nullable(dateTime('When it renews; null if it does not', '2026-03-02T00:00:00.000Z'));

function budget(title: string, description: string): Described {
  return object<BudgetUsageView>(title, description, {
    used: decimal('Units used so far', 1280),
    limit,
    renewsAt: renewal,
  });
}

/** One decorator per route of the controller. */
export const usageDocs = {
  get: describeRoute({
    operationId: 'getUsage',
    summary: 'Get the usage of each budget',
    description:
      'Requests beyond a budget get 429 with Retry-After if it renews, otherwise 403. The number of emails may lag by up to two seconds.',
    tag: 'Usage',
    responses: {
      200: {
        description: 'The budgets of the organization',
        schema: object<UsageView>('Usage', 'Usage of an organization', {
          plan: string('Plan of the organization', 'pro'),
          budgets: object<UsageView['budgets']>('BudgetsUsage', 'The budgets by name', {
            emailsPerDay: budget('EmailsPerDayUsage', 'Emails of this day in UTC, each counted once per recipient'),
            storedBytes: budget('StoredBytesUsage', 'Bytes of stored content and attachments, measured once a day'),
            renderSecondsPerMinute: budget('RenderSecondsUsage', 'Seconds of rendering for requests of this minute'),
            eventsPerEmailPerMinute: budget(
              'EventsPerEmailUsage',
              'Individually stored opens and clicks in this minute of the busiest email; 0 below half of the limit',
            ),
            domains: budget('DomainsUsage', 'Sending domains'),
            webhooks: budget('WebhooksUsage', 'Webhooks'),
          }),
        }),
      },
    },
  }),
};
