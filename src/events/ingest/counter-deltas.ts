import type { EngagementEvent, EventSum } from '../engagement-event.js';
import { machineClassOf, NO_SIGN, type MachineClass, type VerdictCode } from '../verdict.js';
import { engagementOfCampaigns, type CampaignEngagement } from './campaign-engagement.js';
import type { KnownEmail } from './lock-emails.js';

/** Clicks of a link, and how many of them machines caused. */
export interface LinkClicks {
  clicks: number;
  machineClicks: number;
}

export interface EmailDeltas extends LinkClicks {
  readonly email: KnownEmail;
  opens: number;
  machineOpens: number;
  /** The ID of the latest event, a UUIDv7 that contains its time. */
  latestId: string;
  /** Clicks by link position. */
  readonly positions: Map<number, LinkClicks>;
  /** Opens and clicks by machines. */
  readonly machines: Map<MachineClass, number>;
}

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
    const machine = machineClassOf(verdict);
    if (machine !== undefined) increase(tally.machines, machine, 1);
    if (event.type === 'opened') {
      tally.opens++;
      if (machine !== undefined) tally.machineOpens++;
      return;
    }
    const clicks = { clicks: 1, machineClicks: machine === undefined ? 0 : 1 };
    addClicks(tally, clicks);
    addClicks(linkOf(tally.positions, event.linkPosition), clicks);
    if (email.campaignId !== null) addClicks(linkOf(this.urlsOf(email.campaignId), event.url), clicks);
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
    return [...this.byEmail.values()].filter(({ opens, clicks }) => opens + clicks > 0);
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
        ...{ email, opens: 0, clicks: 0, machineOpens: 0, machineClicks: 0, latestId: '' },
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
