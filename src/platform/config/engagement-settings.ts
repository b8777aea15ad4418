import { wholeNumber, type Variable } from './setting-types.js';

/** How close opens and clicks must be, in milliseconds, for a rule of time or order to see a machine in them. */
export const engagementVariables = {
  ENGAGEMENT_INSTANT_MS: wholeNumber({
    description: 'Opens and clicks within so many milliseconds of the hand-over are by machines (0: rule off)',
    default: 10_000,
    min: 0,
    max: 3_600_000,
  }),
  ENGAGEMENT_CORROBORATED_MS: wholeNumber({
    description: 'The same for opens and clicks that also have a weak sign of a machine (0: rule off)',
    default: 60_000,
    min: 0,
    max: 3_600_000,
  }),
  ENGAGEMENT_BURST_MS: wholeNumber({
    description:
      'Clicks of three different links of an email within so many milliseconds are by a scanner (0: rule off)',
    default: 2_000,
    min: 0,
    max: 60_000,
  }),
  ENGAGEMENT_ALL_LINKS_MS: wholeNumber({
    description: 'Clicks of all links of an email in order within so many milliseconds are by a scanner (0: rule off)',
    default: 10_000,
    min: 0,
    max: 60_000,
  }),
  ENGAGEMENT_AROUND_SCANNER_MS: wholeNumber({
    description:
      'Clicks of several other links, and opens, at most so many milliseconds from a hit of a known scanner are by it too (0: rule off)',
    default: 10_000,
    min: 0,
    max: 60_000,
  }),
} satisfies Record<string, Variable<unknown>>;
