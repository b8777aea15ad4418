import type { Message } from './steps.js';

type Reason = 'complaint' | 'bounce' | 'manual' | 'unsubscribe';
const STRENGTH: readonly Reason[] = ['complaint', 'bounce', 'manual', 'unsubscribe'];
export const SOFT_BOUNCE_LIMIT = 2;

/** Which addresses an organization must not send to, and why. */
export class ModelSuppressions {
  private readonly reasons = new Map<string, Set<Reason>>();
  /** Of erased people: only complaints and unsubscriptions are kept, and nothing shows them. */
  private readonly hidden = new Map<string, Set<Reason>>();
  /** Consecutive soft bounces of each address. */
  private readonly softBounces = new Map<string, number>();

  get addresses(): string[] {
    return [...this.reasons.keys()];
  }

  has(address: string, reason: Reason): boolean {
    return this.reasons.get(address)?.has(reason) ?? false;
  }

  /** @returns whether the message must not go to this address */
  apply(address: string, message: Pick<Message, 'unsubscribe'>): boolean {
    const reasons = [...(this.reasons.get(address) ?? []), ...(this.hidden.get(address) ?? [])];
    return message.unsubscribe ? reasons.length > 0 : reasons.some((reason) => reason !== 'unsubscribe');
  }

  strongest(address: string): Reason | undefined {
    return STRENGTH.find((reason) => this.has(address, reason));
  }

  add(address: string, reason: Reason): void {
    this.reasons.set(address, (this.reasons.get(address) ?? new Set()).add(reason));
  }

  /** @returns whether there was one */
  remove(address: string): boolean {
    this.softBounces.delete(address);
    const wasHidden = this.hidden.delete(address);
    return this.reasons.delete(address) || wasHidden;
  }

  subscribeAgain(address: string): void {
    const reasons = this.reasons.get(address);
    reasons?.delete('unsubscribe');
    if (reasons?.size === 0) this.reasons.delete(address);
  }

  bounceSoftly(address: string): void {
    const times = (this.softBounces.get(address) ?? 0) + 1;
    this.softBounces.set(address, times);
    if (times >= SOFT_BOUNCE_LIMIT) this.add(address, 'bounce');
  }

  forgetSoftBounces(address: string): void {
    this.softBounces.delete(address);
  }

  /** Forgets a person. */
  erase(address: string): void {
    const lasting = (['complaint', 'unsubscribe'] as const).filter((reason) => this.has(address, reason));
    if (lasting.length > 0) this.hidden.set(address, new Set([...(this.hidden.get(address) ?? []), ...lasting]));
    this.reasons.delete(address);
    this.softBounces.delete(address);
  }
}
