import { factCounts } from '../../emails/recipients/fact-docs.js';
import { describeRoute } from '../../platform/openapi/describe-route.js';
import { query } from '../../platform/openapi/parameters.js';
import { dateTime, enumOf, integer, list, object, string, type Described } from '../../platform/openapi/schemas.js';
import type { StatsFigures, StatsPoint, StatsView } from './read-stats.js';
import { HOURLY_FACTS, type HourlyFact } from './stat-counters.js';
import { MAX_POINTS, STATS_INTERVALS } from './stats-range.js';

const from = '2026-03-01T00:00:00.000Z';
const to = '2026-03-02T00:00:00.000Z';

const hourlyFacts = Object.fromEntries(HOURLY_FACTS.map((fact) => [fact, factCounts[fact]])) as Record<
  HourlyFact,
  Described
>;

const figures = {
  emails: integer('Emails accepted in this time that neither failed nor were canceled', 24),
  sent: integer('Emails that the provider accepted, or that another provider sent', 23),
  failed: integer('Emails that failed for good and were not retried', 1),
  ...hourlyFacts,
  opens: integer('Opens, by people and machines', 18),
  clicks: integer('Clicks, by people and machines', 7),
  people: object<StatsFigures['people']>('PeopleFigures', 'Opens and clicks by people', {
    opens: integer('Opens by people', 12),
    clicks: integer('Clicks by people', 6),
    uniqueOpens: integer('Emails that a person opened for the first time', 9),
    uniqueClicks: integer('Emails in which a person clicked for the first time', 5),
  }),
  machines: object<StatsFigures['machines']>('MachineFigures', 'Opens and clicks by machines', {
    opens: integer('Opens by machines', 6),
    clicks: integer('Clicks by machines', 1),
  }),
};

const point = object<StatsPoint>('StatsPoint', 'Figures of one interval', {
  at: dateTime('Start of the interval', from),
  ...figures,
});

/** One decorator per route of the controller. */
export const statsDocs = {
  get: describeRoute({
    operationId: 'getStats',
    summary: 'Read figures over time',
    description: `One point for each interval of the range, oldest first, even if nothing happened in it. Each fact counts in the hour in which it happened, so points add up to \`totals\`. The range is extended to whole intervals in UTC; weeks begin on Monday. At most ${MAX_POINTS.hour} hours, ${MAX_POINTS.day} days, ${MAX_POINTS.week} weeks or ${MAX_POINTS.month} months.`,
    tag: 'Stats',
    parameters: [
      query(
        'from',
        dateTime('Start of the range: a time or a date; by default 30 days, including the last day of the range', from),
      ),
      query('to', dateTime('End of the range, exclusive: a time or a date; by default now', to)),
      query('interval', enumOf(STATS_INTERVALS, 'Length of each point; by default day', 'day')),
      query('campaignId', string('Only emails of this campaign: its name or ID', 'Spring sale')),
    ],
    responses: {
      200: {
        description: 'The figures',
        schema: object<StatsView>('Stats', 'Figures over time', {
          from: dateTime('Start of the first interval', from),
          to: dateTime('End of the last interval, exclusive', to),
          interval: enumOf(STATS_INTERVALS, 'Length of each point', 'day'),
          points: list(point, 'One point for each interval, oldest first'),
          totals: object<StatsFigures>('StatsTotals', 'Sums of all points', figures),
        }),
      },
    },
    errors: { 400: true, 404: 'Campaign not found' },
  }),
};
