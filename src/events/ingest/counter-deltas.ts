import type { EngagementEvent, EventSum } from '../engagement-event.js';
import type { KnownEmail } from './lock-emails.js';

export interface Engagement {
  opens: number;
  clicks: number;
}

export interface EmailDeltas extends Engagement {
  readonly email: KnownEmail;
  /** The ID of the latest event, a UUIDv7 that contains its time. */
  latestId: string;
  /** Clicks by link position. */
  readonly positions: Map<number, number>;
}

export interface UnresolvedClicks {
  readonly campaignId: string;
  readonly emailId: string;
  readonly linkPosition: number;
  readonly clicks: number;
}

/** The counter increments of new events. */
export class CounterDeltas {
  private readonly byEmail = new Map<string, EmailDeltas>();
  private readonly clicksByCampaign = new Map<string, Map<string, number>>();
  private readonly unresolved: UnresolvedClicks[] = [];

  add(event: EngagementEvent, email: KnownEmail): void {
    const tally = this.of(email);
    if (event.id > tally.latestId) tally.latestId = event.id;
    if (event.type === 'summed') return this.addSum(event, tally);
    if (event.type === 'opened') tally.opens++;
    if (event.type !== 'clicked') return;
    tally.clicks++;
    increase(tally.positions, event.linkPosition, 1);
    if (email.campaignId !== null) increase(this.urlsOf(email.campaignId), event.url, 1);
  }

  /** Clicks of sums, which contain no URL. */
  get unresolvedClicks(): readonly UnresolvedClicks[] {
    return this.unresolved;
  }

  /** @param url of the link */
  resolve({ campaignId, clicks }: UnresolvedClicks, url: string): void {
    increase(this.urlsOf(campaignId), url, clicks);
  }

  /** Emails that were opened or clicked. */
  get engagedEmails(): EmailDeltas[] {
    return [...this.byEmail.values()].filter(({ opens, clicks }) => opens + clicks > 0);
  }

  /** Every contact of every email, once per email. */
  get contacts(): { contactId: string; tally: EmailDeltas }[] {
    return [...this.byEmail.values()].flatMap((tally) =>
      tally.email.contactIds.map((contactId) => ({ contactId, tally })),
    );
  }

  get campaigns(): ReadonlyMap<string, Engagement> {
    const campaigns = new Map<string, Engagement>();
    for (const { email, opens, clicks } of this.engagedEmails) {
      if (email.campaignId === null) continue;
      const before = campaigns.get(email.campaignId);
      campaigns.set(email.campaignId, {
        opens: (before?.opens ?? 0) + opens,
        clicks: (before?.clicks ?? 0) + clicks,
      });
    }
    return campaigns;
  }

  get campaignLinks(): { campaignId: string; url: string; clicks: number }[] {
    return [...this.clicksByCampaign].flatMap(([campaignId, urls]) =>
      [...urls].map(([url, clicks]) => ({ campaignId, url, clicks })),
    );
  }

  private addSum({ opens, clicks }: EventSum, tally: EmailDeltas): void {
    const { id: emailId, campaignId } = tally.email;
    tally.opens += opens;
    for (const { linkPosition, clicks: count } of clicks) {
      tally.clicks += count;
      increase(tally.positions, linkPosition, count);
      if (campaignId !== null) this.unresolved.push({ campaignId, emailId, linkPosition, clicks: count });
    }
  }

  private of(email: KnownEmail): EmailDeltas {
    let tally = this.byEmail.get(email.id);
    if (!tally)
      this.byEmail.set(email.id, (tally = { email, opens: 0, clicks: 0, latestId: '', positions: new Map() }));
    return tally;
  }

  private urlsOf(campaignId: string): Map<string, number> {
    let urls = this.clicksByCampaign.get(campaignId);
    if (!urls) this.clicksByCampaign.set(campaignId, (urls = new Map()));
    return urls;
  }
}

function increase<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
