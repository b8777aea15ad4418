import { HourDeltas } from '../../campaigns/stats/append-stats.js';
import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { EngagementEvent, EventSum } from '../engagement-event.js';
import { machineClassOf, NO_SIGN, type VerdictCode } from '../verdict.js';
import { EmailDeltas, clickDeltasOf, type ClickDeltas } from './email-deltas.js';
import { engagementOfCampaigns, type CampaignEngagement } from './campaign-engagement.js';
import type { KnownEmail } from './lock-emails.js';

type CountedClick = Pick<Extract<EngagementEvent, { type: 'clicked' }>, 'type' | 'linkPosition' | 'url'>;
export type CountedHit = { readonly type: 'opened' } | CountedClick;

export interface UnresolvedClicks {
  readonly campaignId: string;
  readonly emailId: string;
  readonly linkPosition: number;
  readonly clicks: number;
  readonly machineClicks: number;
}

/** The counter increments of new events. */
export class CounterDeltas {
  /** The same increments by the hour. */
  readonly hours = new HourDeltas();
  private readonly byEmail = new Map<string, EmailDeltas>();
  private readonly clicksByCampaign = new Map<string, Map<string, ClickDeltas>>();
  private readonly unresolved: UnresolvedClicks[] = [];

  /** @param verdict of an open or a click */
  add(event: EngagementEvent, email: KnownEmail, verdict: VerdictCode = NO_SIGN): void {
    const tally = this.of(email);
    if (event.id > tally.latestId) tally.latestId = event.id;
    if (event.type === 'sent') return;
    this.byHour(tally, timeOfUuidV7(event.id), () => {
      if (event.type === 'summed') return this.addSum(event, tally);
      if (event.type === 'opened') {
        tally.opens++;
      } else {
        if (event.id > tally.latestClickId) tally.latestClickId = event.id;
        this.addClicks(event, tally, 1, 0);
      }
      this.addMachine(event, tally, verdict, 1);
    });
  }

  /** Moves a stored hit from one verdict to another. @param at its time in milliseconds */
  relabel(hit: CountedHit, email: KnownEmail, at: number, from: VerdictCode, to: VerdictCode): void {
    const tally = this.of(email);
    this.byHour(tally, at, () => {
      this.addMachine(hit, tally, from, -1);
      this.addMachine(hit, tally, to, 1);
    });
  }

  /** Clicks of sums, which contain no URL. */
  get unresolvedClicks(): readonly UnresolvedClicks[] {
    return this.unresolved;
  }

  /** @param url of the link */
  resolve(clicks: UnresolvedClicks, url: string): void {
    clickDeltasOf(this.urlsOf(clicks.campaignId), url).add(clicks.clicks, clicks.machineClicks);
  }

  /** Emails whose counters change. */
  get engagedEmails(): EmailDeltas[] {
    return [...this.byEmail.values()].filter(({ opens, clicks, machines }) => opens + clicks + machines.size > 0);
  }

  /** Every contact of every email, once per email. */
  get contacts(): { contactId: string; tally: EmailDeltas }[] {
    return [...this.byEmail.values()].flatMap((tally) =>
      tally.email.contactIds.map((contactId) => ({ contactId, tally })),
    );
  }

  get campaigns(): ReadonlyMap<string, CampaignEngagement> {
    return engagementOfCampaigns(this.engagedEmails);
  }

  get campaignLinks(): { campaignId: string; url: string; clicks: number; machineClicks: number }[] {
    return [...this.clicksByCampaign].flatMap(([campaignId, urls]) =>
      [...urls].map(([url, { clicks, machineClicks }]) => ({ campaignId, url, clicks, machineClicks })),
    );
  }

  /** Also counts the changes of `count` in the hour of that time. */
  private byHour(tally: EmailDeltas, at: number, count: () => void): void {
    const { opens, clicks, machineOpens, machineClicks } = tally;
    count();
    const { email } = tally;
    if (!email.inStats) return;
    const opened = tally.opens - opens;
    const clicked = tally.clicks - clicks;
    const machinesOpened = tally.machineOpens - machineOpens;
    const machinesClicked = tally.machineClicks - machineClicks;
    this.hours.add(email, at, 'opens', opened);
    this.hours.add(email, at, 'clicks', clicked);
    this.hours.add(email, at, 'machine_opens', machinesOpened);
    this.hours.add(email, at, 'machine_clicks', machinesClicked);
    tally.firstOpen.change(at, opened - machinesOpened);
    tally.firstClick.change(at, clicked - machinesClicked);
  }

  private addMachine(hit: CountedHit, tally: EmailDeltas, verdict: VerdictCode, by: 1 | -1): void {
    const machine = machineClassOf(verdict);
    if (machine === undefined) return;
    tally.addMachineHits(machine, by);
    if (hit.type === 'opened') tally.machineOpens += by;
    else this.addClicks(hit, tally, 0, by);
  }

  private addClicks({ linkPosition, url }: CountedClick, tally: EmailDeltas, clicks: number, machine: number): void {
    const { campaignId } = tally.email;
    tally.add(clicks, machine);
    clickDeltasOf(tally.positions, linkPosition).add(clicks, machine);
    if (campaignId !== null) clickDeltasOf(this.urlsOf(campaignId), url).add(clicks, machine);
  }

  private addSum({ opens, clicks, machines = [] }: EventSum, tally: EmailDeltas): void {
    const { id: emailId, campaignId } = tally.email;
    const machineClicks = new Map<number, number>();
    tally.opens += opens;
    for (const { class: machine, linkPosition, hits } of machines) {
      tally.addMachineHits(machine, hits);
      if (linkPosition === undefined) tally.machineOpens += hits;
      else machineClicks.set(linkPosition, (machineClicks.get(linkPosition) ?? 0) + hits);
    }
    for (const { linkPosition, clicks: count } of clicks) {
      const byMachines = machineClicks.get(linkPosition) ?? 0;
      machineClicks.delete(linkPosition);
      tally.add(count, byMachines);
      clickDeltasOf(tally.positions, linkPosition).add(count, byMachines);
      if (campaignId === null) continue;
      this.unresolved.push({ campaignId, emailId, linkPosition, clicks: count, machineClicks: byMachines });
    }
  }

  private of(email: KnownEmail): EmailDeltas {
    let tally = this.byEmail.get(email.id);
    if (!tally) this.byEmail.set(email.id, (tally = new EmailDeltas(email)));
    return tally;
  }

  private urlsOf(campaignId: string): Map<string, ClickDeltas> {
    let urls = this.clicksByCampaign.get(campaignId);
    if (!urls) this.clicksByCampaign.set(campaignId, (urls = new Map()));
    return urls;
  }
}
