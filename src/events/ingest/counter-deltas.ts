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
    const deltas = this.of(email);
    if (event.id > deltas.latestId) deltas.latestId = event.id;
    if (event.type === 'sent') return;
    this.byHour(deltas, timeOfUuidV7(event.id), () => {
      if (event.type === 'summed') return this.addSum(event, deltas);
      if (event.type === 'opened') {
        deltas.opens++;
      } else {
        if (event.id > deltas.latestClickId) deltas.latestClickId = event.id;
        this.addClicks(event, deltas, 1, 0);
      }
      this.addMachine(event, deltas, verdict, 1);
    });
  }

  /** Moves a stored hit from one verdict to another. @param at its time in milliseconds */
  relabel(hit: CountedHit, email: KnownEmail, at: number, from: VerdictCode, to: VerdictCode): void {
    const deltas = this.of(email);
    this.byHour(deltas, at, () => {
      this.addMachine(hit, deltas, from, -1);
      this.addMachine(hit, deltas, to, 1);
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
  get contacts(): { contactId: string; deltas: EmailDeltas }[] {
    return [...this.byEmail.values()].flatMap((deltas) =>
      deltas.email.contactIds.map((contactId) => ({ contactId, deltas })),
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
  private byHour(deltas: EmailDeltas, at: number, count: () => void): void {
    const { opens, clicks, machineOpens, machineClicks } = deltas;
    count();
    const { email } = deltas;
    if (!email.inStats) return;
    const opened = deltas.opens - opens;
    const clicked = deltas.clicks - clicks;
    const machinesOpened = deltas.machineOpens - machineOpens;
    const machinesClicked = deltas.machineClicks - machineClicks;
    this.hours.add(email, at, 'opens', opened);
    this.hours.add(email, at, 'clicks', clicked);
    this.hours.add(email, at, 'machine_opens', machinesOpened);
    this.hours.add(email, at, 'machine_clicks', machinesClicked);
    deltas.firstOpen.change(at, opened - machinesOpened);
    deltas.firstClick.change(at, clicked - machinesClicked);
  }

  private addMachine(hit: CountedHit, deltas: EmailDeltas, verdict: VerdictCode, by: 1 | -1): void {
    const machine = machineClassOf(verdict);
    if (machine === undefined) return;
    deltas.addMachineHits(machine, by);
    if (hit.type === 'opened') deltas.machineOpens += by;
    else this.addClicks(hit, deltas, 0, by);
  }

  private addClicks({ linkPosition, url }: CountedClick, deltas: EmailDeltas, clicks: number, machine: number): void {
    const { campaignId } = deltas.email;
    deltas.add(clicks, machine);
    clickDeltasOf(deltas.positions, linkPosition).add(clicks, machine);
    if (campaignId !== null) clickDeltasOf(this.urlsOf(campaignId), url).add(clicks, machine);
  }

  private addSum({ opens, clicks, machines = [] }: EventSum, deltas: EmailDeltas): void {
    const { id: emailId, campaignId } = deltas.email;
    const machineClicks = new Map<number, number>();
    deltas.opens += opens;
    for (const { class: machine, linkPosition, hits } of machines) {
      deltas.addMachineHits(machine, hits);
      if (linkPosition === undefined) deltas.machineOpens += hits;
      else machineClicks.set(linkPosition, (machineClicks.get(linkPosition) ?? 0) + hits);
    }
    for (const { linkPosition, clicks: count } of clicks) {
      const byMachines = machineClicks.get(linkPosition) ?? 0;
      machineClicks.delete(linkPosition);
      deltas.add(count, byMachines);
      clickDeltasOf(deltas.positions, linkPosition).add(count, byMachines);
      if (campaignId === null) continue;
      this.unresolved.push({ campaignId, emailId, linkPosition, clicks: count, machineClicks: byMachines });
    }
  }

  private of(email: KnownEmail): EmailDeltas {
    let deltas = this.byEmail.get(email.id);
    if (!deltas) this.byEmail.set(email.id, (deltas = new EmailDeltas(email)));
    return deltas;
  }

  private urlsOf(campaignId: string): Map<string, ClickDeltas> {
    let urls = this.clicksByCampaign.get(campaignId);
    if (!urls) this.clicksByCampaign.set(campaignId, (urls = new Map()));
    return urls;
  }
}
