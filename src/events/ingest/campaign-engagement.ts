import { CLASS_COUNTERS, ENGAGEMENT_COUNTERS } from '../../campaigns/campaign-counters.js';
import type { EmailDeltas } from './email-deltas.js';

/** The increments of one campaign from opens and clicks. */
export type CampaignEngagement = Record<(typeof ENGAGEMENT_COUNTERS)[number], number>;

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

/** The change of the number of unique emails. @param people hits by people after the batch */
function change(wasCounted: boolean, people: number): number {
  return Number(people > 0) - Number(wasCounted);
}

function noEngagement(): CampaignEngagement {
  return Object.fromEntries(ENGAGEMENT_COUNTERS.map((counter) => [counter, 0])) as CampaignEngagement;
}
