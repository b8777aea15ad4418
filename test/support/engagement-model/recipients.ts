import type { RecipientState } from '../../../src/emails/recipients/recipient-state.js';

/*
 * What reports and unsubscriptions mean for a recipient and an address, as docs/api.md describes it under "What became
 * of each recipient" and "Suppressions".
 */

export type Fact =
  'deferred' | 'delivered' | 'hard' | 'soft' | 'complained' | 'failed' | 'unsubscribed' | 'resubscribed';
export type Reason = 'complaint' | 'bounce' | 'manual' | 'unsubscribe';

/** What a report says: a fact, or that the provider left the recipient out because of its own list. */
export type Meaning = Fact | { readonly suppressed: Exclude<Reason, 'manual'> };

/** Strongest first. */
const STATES = ['complained', 'bounced', 'delivered', 'suppressed', 'failed', 'deferred'] as const;
const REASONS: readonly Reason[] = ['complaint', 'bounce', 'manual', 'unsubscribe'];

export type CountedFact = Exclude<(typeof STATES)[number], 'failed'> | 'unsubscribed';

/** One recipient of one email. */
export class Recipient {
  readonly reached = new Set<string>();
  isUnsubscribed = false;
  decidedAt = -Infinity;
  /** The time of the strongest report; of equal ones, of the latest. */
  since = -Infinity;
  private bouncedHard = false;

  /** @param before the state before any report */
  constructor(private readonly before: RecipientState) {}

  get state(): RecipientState {
    return STATES.find((state) => this.reached.has(state)) ?? this.before;
  }

  /** @returns the fact that its campaign counts for the first time, and whether the state became news */
  reach(
    meaning: Exclude<Meaning, 'unsubscribed' | 'resubscribed'>,
    at: number,
  ): {
    isFirst: boolean;
    state: string;
    isNews: boolean;
  } {
    const state = stateOf(meaning);
    const [before, wasHard, isFirst] = [this.state, this.bouncedHard, !this.reached.has(state)];
    this.reached.add(state);
    if (meaning === 'hard') this.bouncedHard = true;
    const isStronger = before !== this.state || (this.state === 'bounced' && this.bouncedHard !== wasHard);
    const isEqual = this.state === state && (meaning !== 'soft' || !wasHard);
    if (isStronger || (isEqual && at > this.since)) this.since = at;
    const isNews = this.state === state && (before !== state || this.bouncedHard !== wasHard);
    return { isFirst, state, isNews };
  }
}

function stateOf(meaning: Exclude<Meaning, 'unsubscribed' | 'resubscribed'>): string {
  if (typeof meaning === 'object') return 'suppressed';
  return meaning === 'hard' || meaning === 'soft' ? 'bounced' : meaning;
}

/** What an organization knows about one address, over all emails. */
export class Address {
  readonly reasons = new Set<Reason>();
  /** Reasons that outlived an erasure: they stop mail, and nothing shows them. */
  readonly hidden = new Set<Reason>();
  /** The latest by time of what the recipient chose. */
  decision: 'unsubscribed' | 'resubscribed' | undefined;
  /**
   * False once the organization removed or erased the address, of which webhooks tell nothing, or once an earlier
   * decision arrived after a later one, when an email may show the earlier one.
   */
  isToldInOrder = true;
  private decidedAt = -Infinity;
  private removedAt = -Infinity;
  private handled: { readonly at: number; readonly isSoft: boolean }[] = [];

  constructor(private readonly softBounceLimit: number) {}

  /** The strongest reason, and which mail it stops. */
  get entry(): { readonly reason: Reason; readonly scope: 'all' | 'marketing' } | undefined {
    const reason = REASONS.find((one) => this.reasons.has(one));
    return reason && { reason, scope: reason === 'unsubscribe' ? 'marketing' : 'all' };
  }

  /** Of the contact, also of one whose earlier contact was erased. */
  get status(): string {
    const has = (reason: Reason) => this.reasons.has(reason) || this.hidden.has(reason);
    if (has('complaint')) return 'complained';
    if (has('bounce')) return 'bounced';
    return has('unsubscribe') ? 'unsubscribed' : 'active';
  }

  stops(isMarketing: boolean): boolean {
    return [...this.reasons, ...this.hidden].some((reason) => isMarketing || reason !== 'unsubscribe');
  }

  /** Applies what is not about one email alone. @returns true for the latest decision of the recipient */
  apply(meaning: Meaning, at: number): boolean {
    if (meaning === 'unsubscribed' || meaning === 'resubscribed') return this.decide(meaning, at);
    if (meaning === 'soft' || meaning === 'delivered') this.handle(meaning === 'soft', at);
    if (meaning === 'hard' || (meaning === 'soft' && this.run >= this.softBounceLimit)) this.reasons.add('bounce');
    if (meaning === 'complained') this.reasons.add('complaint');
    if (typeof meaning === 'object') this.reasons.add(meaning.suppressed);
    return false;
  }

  /** The organization takes all reasons back. Earlier soft bounces no longer count, even if they are reported later. */
  remove(): void {
    this.isToldInOrder = false;
    if (this.reasons.size > 0) this.removedAt = Date.now();
    this.reasons.clear();
    this.hidden.clear();
  }

  erase(): void {
    this.isToldInOrder = false;
    for (const reason of this.reasons) if (reason !== 'bounce' && reason !== 'manual') this.hidden.add(reason);
    this.reasons.clear();
    this.handled = [];
    this.decidedAt = this.removedAt = -Infinity;
  }

  /** The latest decision by time counts. */
  private decide(meaning: 'unsubscribed' | 'resubscribed', at: number): boolean {
    if (at <= this.decidedAt) return (this.isToldInOrder = false);
    this.decidedAt = at;
    this.decision = meaning;
    if (meaning === 'unsubscribed') this.reasons.add('unsubscribe');
    else for (const reasons of [this.reasons, this.hidden]) reasons.delete('unsubscribe');
    return true;
  }

  /** In the order of their own times, then of their arrival. */
  private handle(isSoft: boolean, at: number): void {
    this.handled.push({ at, isSoft });
    this.handled.sort((one, other) => one.at - other.at);
  }

  /** Soft bounces since the last delivery. */
  private get run(): number {
    const delivered = this.handled.findLastIndex(({ isSoft }) => !isSoft);
    return this.handled.slice(delivered + 1).filter(({ at }) => at > this.removedAt).length;
  }
}
