import type { Message } from './steps.js';

/** What the mail server of a recipient does. `drops-…`: it cuts the connection at the end of the message. */
export type Behavior = 'accepts' | 'defers' | 'refuses' | 'does-not-exist' | 'drops-and-keeps' | 'drops-and-loses';
export type Fact =
  'deferred' | 'delivered' | 'soft-bounced' | 'hard-bounced' | 'complained' | 'unsubscribed' | 'dropped';
export type Status = 'scheduled' | 'queued' | 'sent' | 'failed' | 'canceled';
type Kind = 'to' | 'cc' | 'bcc';

/** From this address, the provider takes no mail. */
export const REFUSED_SENDER = 'refused@acme.example';

/** A recipient waits in either state while a worker may be trying the email. */
export const shown = (status: string, state: string): string =>
  ['queued', 'scheduled'].includes(status) && ['pending', 'deferred'].includes(state) ? 'waiting' : state;

/** One recipient of an email, as docs/api.md describes it. */
export class ModelRecipient {
  handOver: 'waiting' | 'accepted' | 'refused' | 'left-out' | 'erased' = 'waiting';
  /** Copies that the provider accepted. */
  copies = 0;
  /** Left out when the email was accepted. */
  neverCounted = false;
  /** The person is erased: the email keeps a place without an address. */
  isErased = false;
  readonly facts = new Set<Fact | 'suppressed'>();

  constructor(
    readonly address: string,
    readonly kind: Kind,
  ) {}

  get bounced(): boolean {
    return this.facts.has('hard-bounced') || this.facts.has('soft-bounced');
  }

  get wasSuppressed(): boolean {
    return this.facts.has('suppressed') || this.facts.has('dropped');
  }

  /** The strongest state that was reported, else what became of the hand-over. */
  stateIn(status: Status): string {
    if (this.facts.has('complained')) return 'complained';
    if (this.bounced) return 'bounced';
    if (this.facts.has('delivered')) return 'delivered';
    if (this.handOver === 'left-out' || this.facts.has('dropped')) return 'suppressed';
    if (this.facts.has('deferred')) return 'deferred';
    if (this.handOver === 'accepted') return 'sent';
    if (this.handOver === 'refused' || status === 'failed') return 'failed';
    return status === 'canceled' ? 'canceled' : 'waiting';
  }
}

export class ModelEmail {
  status: Status = 'queued';
  /** A worker has handed it over, or has tried to. */
  isTried = false;
  /** After a copy that may have arrived, another attempt decided about the email. */
  possibleDuplicate = false;
  /** A copy may have arrived, and nothing has settled that since. */
  isInDoubt = false;
  /** It waits for the time of its second copy. */
  waitsInDoubt = false;
  readonly recipients: ModelRecipient[];
  /** The webhooks about it: the type, and the recipient if it is about one. */
  readonly webhooks: string[] = [];
  id = '';
  trackingId = '';
  sendAt: number | undefined;

  constructor(readonly message: Message) {
    const seen = new Set<string>();
    const kinds = ['to', 'cc', 'bcc'] as const;
    this.recipients = kinds
      .flatMap((kind) => message[kind].map(({ address }) => new ModelRecipient(address, kind)))
      .filter(({ address }) => !seen.has(address) && seen.add(address));
  }

  get waiting(): ModelRecipient[] {
    return this.recipients.filter(({ handOver }) => handOver === 'waiting');
  }

  get reached(): boolean {
    return this.recipients.some(({ handOver }) => handOver === 'accepted');
  }

  /** Everybody to whom it went is erased, and so is its content. */
  get isErased(): boolean {
    return this.recipients.every(({ isErased }) => isErased);
  }

  /** The provider has reported on a copy, so it has the email. */
  get isReported(): boolean {
    return this.recipients.some(({ copies, facts }) => copies > 0 && facts.size > Number(facts.has('suppressed')));
  }

  get counts(): boolean {
    return this.status !== 'failed' && this.status !== 'canceled';
  }

  /** The contacts for which it was accepted. */
  get contacts(): string[] {
    const contacts = this.recipients.filter((one) => one.kind === 'to' && !one.neverCounted && !one.isErased);
    return contacts.map(({ address }) => address);
  }

  leaveOut(recipient: ModelRecipient): void {
    const before = recipient.stateIn(this.status);
    recipient.handOver = 'left-out';
    recipient.facts.add('suppressed');
    if (recipient.stateIn(this.status) !== before) this.webhooks.push(`EMAIL_SUPPRESSED ${recipient.address}`);
  }

  end(isSent = this.reached): void {
    this.waitsInDoubt = false;
    this.status = isSent ? 'sent' : 'failed';
    this.webhooks.push(isSent ? 'EMAIL_SENT' : 'EMAIL_FAILED');
  }

  /** Its only recipient has the email after all. */
  countAsSent(): void {
    for (const recipient of this.recipients) recipient.handOver = 'accepted';
    this.isInDoubt = false;
    this.end();
  }

  private viewOf(recipient: ModelRecipient): string {
    const { kind, address, isErased } = recipient;
    return isErased ? `${kind} erased` : `${kind} ${address} ${shown(this.status, recipient.stateIn(this.status))}`;
  }

  /** What the API shows of it. A worker may be trying an email that waits. */
  get view(): object {
    return {
      status: this.status,
      ...(this.status === 'queued' && { isTried: this.isTried, possibleDuplicate: this.isInDoubt }),
      ...(this.status === 'sent' && { possibleDuplicate: this.possibleDuplicate }),
      recipients: this.isErased ? ['to erased'] : this.recipients.map((one) => this.viewOf(one)),
    };
  }
}
