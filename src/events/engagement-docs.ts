import { decimal, enumOf, integer, object, string } from '../platform/openapi/schemas.js';
import type { MachineStats, PeopleStats } from './engagement-stats.js';
import { ENGAGEMENT_CLASSES, type MachineClass } from './verdict.js';

export const peopleStats = object<PeopleStats>('PeopleStats', 'Opens and clicks by people', {
  opens: integer('Opens by people', 12),
  clicks: integer('Clicks by people', 6),
  uniqueOpens: integer('Emails that a person opened, each once', 9),
  uniqueClicks: integer('Emails in which a person clicked, each once', 5),
  openRate: decimal('Unique opens per hundred emails, two decimals', 37.5),
  clickRate: decimal('Unique clicks per hundred emails, two decimals', 20.83),
});

const byClass = object<Readonly<Record<MachineClass, number>>>(
  'MachineClasses',
  'Opens and clicks together, by the class of the machine',
  {
    prefetch: integer('Fetched whether or not a person reads the email', 4),
    preview: integer('Previews of links in chats and social networks', 1),
    scanner: integer('Security scanners', 2),
    bot: integer('Scripts, libraries and crawlers', 0),
  },
);

export const machineStats = object<MachineStats>(
  'MachineStats',
  'Opens and clicks by machines; with those by people they add up to the totals',
  { opens: integer('Opens by machines', 6), clicks: integer('Clicks by machines', 1), byClass },
);

/** Fields of an open or a click. */
export const verdictFields = {
  class: enumOf(
    ENGAGEMENT_CLASSES,
    'What caused an open or a click: people (human, and proxy, which fetches for a reader) or machines. A later rule may correct it',
    'human',
  ),
  reason: string('Why an open or a click has its class: a stable word, none without a sign of a machine', 'none'),
  certainty: enumOf(['certain', 'probable'], 'How sure the class is; a certain one never changes', 'probable'),
};
