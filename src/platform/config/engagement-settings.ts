import { wholeNumber, type Variable } from './setting-types.js';

/**
 * How close together opens and clicks must be, in milliseconds, for a rule of time or order to count them as a
 * machine's.
 */
export const engagementVariables = {
  ENGAGEMENT_INSTANT_MS: wholeNumber({
    description: 'Opens and clicks within this many milliseconds of the hand-over count as machines (0: rule off)',
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
      'Clicks of three different links of an email within this many milliseconds count as a scanner (0: rule off)',
    default: 2_000,
    min: 0,
    max: 60_000,
  }),
  ENGAGEMENT_ALL_LINKS_MS: wholeNumber({
    description:
      'Clicks of all links of an email in order within this many milliseconds count as a scanner (0: rule off)',
    default: 10_000,
    min: 0,
    max: 60_000,
  }),
  ENGAGEMENT_AROUND_SCANNER_MS: wholeNumber({
    description:
      'Clicks of several other links, and opens, at most this many milliseconds from a hit of a known scanner also count as that scanner (0: rule off)',
    default: 10_000,
    min: 0,
    max: 60_000,
  }),
} satisfies Record<string, Variable<unknown>>;
