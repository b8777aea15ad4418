import { CAMPAIGN_FACTS } from '../emails/recipients/fact-rules.js';
import { MACHINE_CLASSES, type MachineClass } from '../events/verdict.js';

/** The counter of each class of machines. */
export const CLASS_COUNTERS = {
  prefetch: 'prefetches',
  preview: 'previews',
  scanner: 'scans',
  bot: 'bots',
} as const satisfies Record<MachineClass, string>;

/** The columns of `campaign_totals` that opens and clicks change; by class, opens and clicks together. */
export const ENGAGEMENT_COUNTERS = [
  ...(['opens', 'clicks', 'unique_opens', 'unique_clicks', 'machine_opens', 'machine_clicks'] as const),
  ...MACHINE_CLASSES.map((machine) => CLASS_COUNTERS[machine]),
];

/** All counters of a campaign. */
export const CAMPAIGN_COUNTERS = ['emails' as const, ...ENGAGEMENT_COUNTERS, ...CAMPAIGN_FACTS];
