import type { EngagementEvent, EventSum } from '../engagement-event.js';
import { machineClassOf, NO_SIGN, type VerdictCode } from '../verdict.js';
import type { EmailDeltas, LinkClicks } from './email-deltas.js';
import { engagementOfCampaigns, type CampaignEngagement } from './campaign-engagement.js';
import type { KnownEmail } from './lock-emails.js';

type CountedClick = Pick<Extract<EngagementEvent, { type: 'clicked' }>, 'type' | 'linkPosition' | 'url'>;
export type CountedHit = { readonly type: 'opened' } | CountedClick;

export interface UnresolvedClicks extends Readonly<LinkClicks> {
  readonly campaignId: string;
  readonly emailId: string;
  readonly linkPosition: number;
}

/** The counter increments of new events. */
export class CounterDeltas {
  private readonly byEmail = new Map<string, EmailDeltas>();
  private readonly clicksByCampaign = new Map<string, Map<string, LinkClicks>>();
  private readonly unresolved: UnresolvedClicks[] = [];

  /** @param verdict of an open or a click */
  add(event: EngagementEvent, email: KnownEmail, verdict: VerdictCode = NO_SIGN): void {
    const tally = this.of(email);
    if (event.id > tally.latestId) tally.latestId = event.id;
    if (event.type === 'summed') return this.addSum(event, tally);
    if (event.type === 'sent') return;
    if (event.type === 'opened') {
      tally.opens++;
    } else {
      if (event.id > tally.latestClickId) tally.latestClickId = event.id;
      this.addClicks(event, tally, { clicks: 1, machineClicks: 0 });
    }
    this.addMachine(event, tally, verdict, 1);
  }

  /** Moves a stored hit from one verdict to another. */
  relabel(hit: CountedHit, email: KnownEmail, from: VerdictCode, to: VerdictCode): void {
    const tally = this.of(email);
    this.addMachine(hit, tally, from, -1);
    this.addMachine(hit, tally, to, 1);
  }

  /** Clicks of sums, which contain no URL. */
  get unresolvedClicks(): readonly UnresolvedClicks[] {
    return this.unresolved;
  }

  /** @param url of the link */
  resolve(clicks: UnresolvedClicks, url: string): void {
    addClicks(linkOf(this.urlsOf(clicks.campaignId), url), clicks);
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

  get campaignLinks(): ({ campaignId: string; url: string } & LinkClicks)[] {
    return [...this.clicksByCampaign].flatMap(([campaignId, urls]) =>
      [...urls].map(([url, clicks]) => ({ campaignId, url, ...clicks })),
    );
  }

  private addMachine(hit: CountedHit, tally: EmailDeltas, verdict: VerdictCode, by: 1 | -1): void {
    const machine = machineClassOf(verdict);
    if (machine === undefined) return;
    increase(tally.machines, machine, by);
    if (hit.type === 'opened') tally.machineOpens += by;
    else this.addClicks(hit, tally, { clicks: 0, machineClicks: by });
  }

  private addClicks({ linkPosition, url }: CountedClick, tally: EmailDeltas, clicks: LinkClicks): void {
    const { campaignId } = tally.email;
    addClicks(tally, clicks);
    addClicks(linkOf(tally.positions, linkPosition), clicks);
    if (campaignId !== null) addClicks(linkOf(this.urlsOf(campaignId), url), clicks);
  }

  private addSum({ opens, clicks, machines = [] }: EventSum, tally: EmailDeltas): void {
    const { id: emailId, campaignId } = tally.email;
    const machineClicks = new Map<number, number>();
    tally.opens += opens;
    for (const { class: machine, linkPosition, hits } of machines) {
      increase(tally.machines, machine, hits);
      if (linkPosition === undefined) tally.machineOpens += hits;
      else increase(machineClicks, linkPosition, hits);
    }
    for (const { linkPosition, clicks: count } of clicks) {
      const counted = { clicks: count, machineClicks: machineClicks.get(linkPosition) ?? 0 };
      machineClicks.delete(linkPosition);
      addClicks(tally, counted);
      addClicks(linkOf(tally.positions, linkPosition), counted);
      if (campaignId !== null) this.unresolved.push({ campaignId, emailId, linkPosition, ...counted });
    }
  }

  private of(email: KnownEmail): EmailDeltas {
    let tally = this.byEmail.get(email.id);
    if (!tally) {
      tally = {
        ...{ email, opens: 0, clicks: 0, machineOpens: 0, machineClicks: 0, latestId: '', latestClickId: '' },
        ...{ positions: new Map(), machines: new Map() },
      };
      this.byEmail.set(email.id, tally);
    }
    return tally;
  }

  private urlsOf(campaignId: string): Map<string, LinkClicks> {
    let urls = this.clicksByCampaign.get(campaignId);
    if (!urls) this.clicksByCampaign.set(campaignId, (urls = new Map()));
    return urls;
  }
}

function linkOf<Key>(links: Map<Key, LinkClicks>, key: Key): LinkClicks {
  let link = links.get(key);
  if (!link) links.set(key, (link = { clicks: 0, machineClicks: 0 }));
  return link;
}

function addClicks(to: LinkClicks, { clicks, machineClicks }: Readonly<LinkClicks>): void {
  to.clicks += clicks;
  to.machineClicks += machineClicks;
}

function increase<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
