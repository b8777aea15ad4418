import { ModelEmail, REFUSED_SENDER, type Behavior, type Fact, type ModelRecipient } from './email-model.js';
import { ModelSuppressions } from './model-suppressions.js';
import type { Message } from './steps.js';

/** The behavior of the mail servers of all recipients. */
export type Servers = ReadonlyMap<string, Behavior>;

/** An organization and the life of its emails, by docs/api.md alone. */
export class ModelOrganization {
  readonly emails: ModelEmail[] = [];
  readonly suppressions = new ModelSuppressions();
  /** By name: whether it is archived. */
  readonly campaigns = new Map<string, boolean>();
  /** Recipients that count for each day in UTC. */
  readonly used = new Map<number, number>();
  isSuspended = false;
  /** Attempts with an unknown outcome. */
  unknownOutcomes = 0;

  constructor(private readonly servers: Servers) {}

  /** @returns the email, or why it is refused. @param sendAt when it is to be sent; @param day that it counts for */
  accept(message: Message, day: number, sendAt?: number): ModelEmail | 'archived' | 'suppressed' {
    const { campaign } = message;
    if (campaign !== undefined && this.campaigns.get(campaign)) return 'archived';
    const email = new ModelEmail(message);
    const left = email.recipients.filter(({ address }) => !this.suppressions.apply(address, message));
    if (!left.some(({ kind }) => kind === 'to')) return 'suppressed';
    for (const recipient of email.recipients) {
      if (left.includes(recipient)) continue;
      recipient.neverCounted = true;
      email.leaveOut(recipient);
    }
    if (campaign !== undefined) this.campaigns.set(campaign, false);
    this.use(day, email.recipients.length);
    email.status = sendAt === undefined ? 'queued' : 'scheduled';
    email.sendAt = sendAt;
    this.emails.push(email);
    return email;
  }

  use(day: number, recipients: number): void {
    this.used.set(day, (this.used.get(day) ?? 0) + recipients);
  }

  /** Delivers what waits, unless the organization is suspended. */
  deliver(): void {
    if (this.isSuspended) return;
    for (const email of this.emails) if (email.status === 'queued' && !email.waitsInDoubt) this.attempt(email);
  }

  private attempt(email: ModelEmail): void {
    // A report shows that the provider has it, even if it came after an earlier attempt.
    if (email.isReported && !email.reached) return email.countAsSent();
    const isSecond = email.isInDoubt;
    for (const recipient of email.waiting)
      if (this.suppressions.apply(recipient.address, email.message)) email.leaveOut(recipient);
    const isSenderRefused = email.message.from.includes(REFUSED_SENDER);
    email.isTried ||= email.waiting.length > 0;
    for (const recipient of email.waiting) this.handOver(email, recipient, isSenderRefused);
    if (email.status === 'queued' && email.waiting.length === 0) email.end();
    email.possibleDuplicate ||= isSecond && email.status !== 'queued';
  }

  private handOver(email: ModelEmail, recipient: ModelRecipient, isSenderRefused: boolean): void {
    const behavior = isSenderRefused ? 'refuses' : (this.servers.get(recipient.address) ?? 'accepts');
    if (behavior === 'defers') return;
    if (behavior.startsWith('drops')) {
      if (behavior === 'drops-and-keeps') recipient.copies += 1;
      this.unknownOutcomes += 1;
      const isSecond = email.isInDoubt;
      [email.isInDoubt, email.waitsInDoubt] = [true, !isSecond];
      if (isSecond) email.end();
      return;
    }
    // An address that does not exist did not exist before, either.
    if (behavior === 'accepts' || behavior === 'does-not-exist') email.isInDoubt = false;
    recipient.handOver = behavior === 'accepts' ? 'accepted' : 'refused';
    if (behavior === 'accepts') recipient.copies += 1;
    if (behavior === 'does-not-exist') this.learn(email, recipient, 'hard-bounced');
  }

  /** A report about a recipient, or a refusal that says as much. */
  learn(email: ModelEmail, recipient: ModelRecipient, fact: Fact): void {
    const { address } = recipient;
    const before = recipient.stateIn(email.status);
    const wasHard = recipient.facts.has('hard-bounced');
    const isRepeated = recipient.facts.has(fact);
    recipient.facts.add(fact);
    const after = recipient.stateIn(email.status);
    const hasChanged = before !== after || (fact === 'hard-bounced' && after === 'bounced' && !wasHard);
    if (hasChanged) email.webhooks.push(`EMAIL_${after.toUpperCase()} ${address}`);
    if (fact === 'hard-bounced' || fact === 'dropped') this.suppressions.add(address, 'bounce');
    if (fact === 'complained') this.suppressions.add(address, 'complaint');
    if (fact === 'delivered') this.suppressions.forgetSoftBounces(address);
    if (fact === 'soft-bounced' && !isRepeated) this.suppressions.bounceSoftly(address);
  }

  unsubscribe(email: ModelEmail): void {
    const { address, facts } = email.recipients[0]!;
    const isNew = !facts.has('unsubscribed') || !this.suppressions.has(address, 'unsubscribe');
    facts.add('unsubscribed');
    this.suppressions.add(address, 'unsubscribe');
    if (isNew) email.webhooks.push(`EMAIL_UNSUBSCRIBED ${address}`);
  }

  subscribeAgain(email: ModelEmail): void {
    const { address, facts } = email.recipients[0]!;
    if (!facts.delete('unsubscribed')) return;
    this.suppressions.subscribeAgain(address);
    email.webhooks.push(`EMAIL_RESUBSCRIBED ${address}`);
  }

  /** @returns whether it is canceled */
  cancel(email: ModelEmail): boolean {
    const mayBeCanceled = ['scheduled', 'queued'].includes(email.status) && !email.reached && !email.isInDoubt;
    if (mayBeCanceled) email.status = 'canceled';
    return mayBeCanceled;
  }

  /** Forgets a person. */
  erase(address: string): void {
    this.suppressions.erase(address);
    for (const email of this.emails) {
      const person = email.recipients.find((one) => one.address === address && !one.isErased);
      if (!person) continue;
      person.isErased = true;
      if (person.handOver === 'waiting') person.handOver = 'erased';
      if (!email.recipients.some(({ kind, isErased }) => kind === 'to' && !isErased)) this.endErased(email);
    }
  }

  private endErased(email: ModelEmail): void {
    if (email.isErased) email.isInDoubt &&= email.status === 'queued';
    if (!['scheduled', 'queued'].includes(email.status) || this.cancel(email)) return;
    email.status = email.reached || (email.isInDoubt && email.isReported) ? 'sent' : 'failed';
    for (const recipient of email.waiting) recipient.handOver = 'refused';
    email.isInDoubt = email.waitsInDoubt = false;
  }

  /** Cancels everything that waits, as the operator does. What may have reached somebody becomes sent or failed. */
  cancelAll(): void {
    for (const email of this.emails)
      if (['scheduled', 'queued'].includes(email.status) && !this.cancel(email)) {
        if (email.isInDoubt && email.isReported) email.countAsSent();
        else email.end();
      }
  }

  /** @returns whether it is tried again */
  retry(email: ModelEmail, day: number): boolean {
    if (email.status !== 'failed' || email.isErased || this.isArchived(email)) return false;
    for (const recipient of email.recipients) if (!recipient.isErased) recipient.handOver = 'waiting';
    this.queueAgain(email);
    this.use(day, email.recipients.length);
    return true;
  }

  private isArchived({ message: { campaign } }: ModelEmail): boolean {
    return campaign !== undefined && this.campaigns.get(campaign) === true;
  }

  private queueAgain(email: ModelEmail): void {
    email.status = 'queued';
    email.waitsInDoubt = false;
  }

  /** An operator decides about an email in doubt. @returns whether it is one */
  settle(email: ModelEmail, as: 'sent' | 'resend' | 'failed'): boolean {
    if (!email.isInDoubt || !['queued', 'failed'].includes(email.status)) return false;
    if (as === 'resend' && email.status === 'failed' && this.isArchived(email)) return false;
    if (as === 'sent') email.countAsSent();
    else if (as === 'resend') this.queueAgain(email);
    else {
      email.isInDoubt = email.possibleDuplicate = false;
      if (email.status === 'queued' && email.isReported) email.countAsSent();
      else if (email.status === 'queued') email.end();
    }
    return true;
  }
}
