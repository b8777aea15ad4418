import { MACHINE_CLASSES, type MachineClass } from '../verdict.js';
import type { EmailDeltas } from './email-deltas.js';

/** The columns of `campaign_totals` that opens and clicks change, with the increments of one campaign. */
export type CampaignEngagement = Record<(typeof CAMPAIGN_COUNTERS)[number], number>;

/** The counter of each class of machines. */
const CLASS_COUNTERS = {
  prefetch: 'prefetches',
  preview: 'previews',
  scanner: 'scans',
  bot: 'bots',
} as const satisfies Record<MachineClass, string>;

export const CAMPAIGN_COUNTERS = [
  ...(['opens', 'clicks', 'unique_opens', 'unique_clicks', 'machine_opens', 'machine_clicks'] as const),
  ...MACHINE_CLASSES.map((machine) => CLASS_COUNTERS[machine]),
];

/** Sums the increments of emails by campaign. */
export function engagementOfCampaigns(emails: readonly EmailDeltas[]): ReadonlyMap<string, CampaignEngagement> {
  const campaigns = new Map<string, CampaignEngagement>();
  for (const deltas of emails) {
    const { campaignId } = deltas.email;
    if (campaignId === null) continue;
    let totals = campaigns.get(campaignId);
    if (!totals) campaigns.set(campaignId, (totals = noEngagement()));
    totals.opens += deltas.opens;
    totals.clicks += deltas.clicks;
    totals.machine_opens += deltas.machineOpens;
    totals.machine_clicks += deltas.machineClicks;
    for (const [machine, hits] of deltas.machines) totals[CLASS_COUNTERS[machine]] += hits;
    const { people } = deltas;
    totals.unique_opens += change(deltas.email.personOpened, people.opens);
    totals.unique_clicks += change(deltas.email.personClicked, people.clicks);
  }
  return campaigns;
}

/** By how much the number of unique emails changes. @param people hits by people from now on */
function change(wasCounted: boolean, people: number): number {
  return Number(people > 0) - Number(wasCounted);
}

function noEngagement(): CampaignEngagement {
  return Object.fromEntries(CAMPAIGN_COUNTERS.map((counter) => [counter, 0])) as CampaignEngagement;
}
