import { Address, Recipient, type CountedFact, type Meaning } from './recipients.js';
import { finalVerdicts, type ModelHit, type ModelVerdict } from './verdicts.js';

/** An email as the service described it when it was accepted. */
export interface Accepted {
  readonly id: string;
  readonly acceptedAt: number;
  readonly sentAt: number | null;
  readonly campaign: string | null;
  readonly urls: readonly string[];
}

export interface ClassifiedModelHit extends ModelHit {
  readonly final: ModelVerdict;
  readonly of: ModelHit;
}

export interface ModelEmail extends Accepted {
  /** Addresses that are contacts of this email, without erased ones. */
  to: string[];
  /** By address, without erased ones. */
  readonly recipients: Map<string, Recipient>;
  readonly hits: ModelHit[];
  /** Nobody is left in `to`: hits belong to nobody. */
  isErased: boolean;
  /** Something about it was erased, perhaps before a webhook was sent. */
  isTouched: boolean;
}

type ModelWebhook = readonly [type: string, email: string, about: string];
type ReachedMeaning = Exclude<Meaning, 'unsubscribed' | 'resubscribed'>;

/** What happened in one organization, in memory. */
export class OrganizationModel {
  readonly emails: ModelEmail[] = [];
  readonly facts: { readonly campaign: string | null; readonly fact: CountedFact; readonly by: 1 | -1 }[] = [];
  /** `type`, ID of the email, recipient or time of the hit. */
  readonly webhooks: ModelWebhook[] = [];
  /**
   * Those that are posted if they change the suppression list, and not if another decision of the same flush hides it.
   */
  readonly possibleWebhooks: ModelWebhook[] = [];
  readonly addresses = new Map<string, Address>();
  private readonly seen = new Set<string>();

  constructor(private readonly softBounceLimit: number) {}

  address(address: string): Address {
    let known = this.addresses.get(address);
    if (!known) this.addresses.set(address, (known = new Address(this.softBounceLimit)));
    return known;
  }

  get suppressed(): readonly (readonly [string, Address])[] {
    return [...this.addresses].filter(([, { reasons }]) => reasons.size > 0);
  }

  accept(accepted: Accepted, to: readonly string[], copies: readonly string[], leftOut: readonly string[]): ModelEmail {
    const recipients = new Map([...to, ...copies].map((address) => [address, new Recipient('sent')]));
    const email = {
      ...{ ...accepted, to: to.filter((one) => !leftOut.includes(one)), recipients, hits: [] },
      ...{ isErased: false, isTouched: false },
    };
    this.emails.push(email);
    if (accepted.sentAt !== null) this.webhooks.push(['EMAIL_SENT', email.id, '']);
    for (const address of leftOut) this.reach(email, address, { suppressed: 'bounce' }, email.acceptedAt);
    return email;
  }

  hit(email: ModelEmail, hit: ModelHit): void {
    if (email.isErased) return;
    email.hits.push(hit);
    const type = hit.position === null ? 'EMAIL_OPENED' : 'EMAIL_CLICKED';
    this.webhooks.push([type, email.id, new Date(hit.at).toISOString()]);
  }

  /** @param report identifies it: a repeat changes nothing */
  report(report: string, email: ModelEmail, address: string, meaning: Meaning, at: number): void {
    const recipient = email.recipients.get(address);
    if (!recipient || this.seen.has(report)) return;
    this.seen.add(report);
    const isLatest = this.address(address).apply(meaning, at);
    if (meaning === 'unsubscribed' || meaning === 'resubscribed') this.decide(email, address, meaning, at, isLatest);
    else this.reach(email, address, meaning, at);
  }

  erase(address: string): void {
    this.address(address).erase();
    for (const email of this.emails.filter(({ recipients }) => recipients.has(address))) {
      email.recipients.delete(address);
      email.to = email.to.filter((one) => one !== address);
      email.isTouched = true;
      email.isErased = email.to.length === 0;
    }
  }

  /** All events so far are deleted by age; totals stay. */
  deleteEvents(): void {
    for (const email of this.emails) for (const hit of classified(email)) hit.of.frozen = hit.final;
  }

  private reach(email: ModelEmail, address: string, meaning: ReachedMeaning, at: number): void {
    const { isFirst, state, isNews } = email.recipients.get(address)!.reach(meaning, at);
    if (isFirst && state !== 'failed') this.count(email, state as CountedFact, 1);
    if (isNews && state !== 'failed') this.webhooks.push([`EMAIL_${state.toUpperCase()}`, email.id, address]);
  }

  /** The latest decision by time counts, for this email and for the address. */
  private decide(email: ModelEmail, address: string, decision: string, at: number, isOfAddress: boolean): void {
    const recipient = email.recipients.get(address)!;
    const isLatest = at > recipient.decidedAt;
    const isChange = isLatest && recipient.isUnsubscribed !== (decision === 'unsubscribed');
    if (isLatest) recipient.decidedAt = at;
    if (isChange) {
      recipient.isUnsubscribed = !recipient.isUnsubscribed;
      this.count(email, 'unsubscribed', recipient.isUnsubscribed ? 1 : -1);
    }
    const webhooks = isChange ? this.webhooks : this.possibleWebhooks;
    if (isChange || isOfAddress) webhooks.push([`EMAIL_${decision.toUpperCase()}`, email.id, address]);
  }

  private count({ campaign }: ModelEmail, fact: CountedFact, by: 1 | -1): void {
    this.facts.push({ campaign, fact, by });
  }
}

/** The hits of an email with their final verdicts. */
export function classified({ hits, sentAt, urls }: ModelEmail): ClassifiedModelHit[] {
  const verdicts = finalVerdicts(hits, { sentAt, linkCount: urls.length });
  return hits.map((hit, index) => ({ ...hit, final: verdicts[index]!, of: hit }));
}
