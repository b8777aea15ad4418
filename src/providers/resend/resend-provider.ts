import type { Clock } from '../../platform/clock/clock.js';
import { copiesOf, type Copy } from '../copies.js';
import type { RecipientResult } from '../hand-over-result.js';
import { refusalOfUnsafe } from '../header-safety.js';
import { JSON_HEADERS } from '../http/json-body.js';
import { ProviderApi } from '../http/provider-api.js';
import type { ProviderResponse } from '../http/provider-response.js';
import type { DeliveryOutcome, DeliveryProvider, HandOver, OutgoingEmail } from '../provider.js';
import { idempotencyKeyOf, emailsBodyOf } from './emails-body.js';
import { resendOutcomeOf } from './resend-response.js';

type Ambiguous = Extract<DeliveryOutcome, { kind: 'ambiguous' }>;

export interface ResendOptions {
  readonly apiKey: string;
  /** Base address of the API, without a path. */
  readonly url: string;
  /** Maximum number of open connections. Further requests wait for a free one. */
  readonly maxConnections: number;
}

/**
 * Delivers through the API of Resend. It has no results per recipient, so a call goes to all remaining recipients. A
 * lost response is 'ambiguous', although the idempotency key makes a repeat harmless: no other provider knows the key.
 */
export class ResendProvider implements DeliveryProvider {
  readonly name = 'resend';
  private readonly api: ProviderApi;

  constructor(
    private readonly options: ResendOptions,
    private readonly clock: Clock,
  ) {
    const { url, maxConnections } = options;
    this.api = new ProviderApi({ label: 'Resend', url: `${url}/emails`, maxConnections });
  }

  async deliver(email: OutgoingEmail, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome> {
    const unsafe = refusalOfUnsafe(email);
    if (unsafe) return unsafe;
    const copies = copiesOf(email);
    const [first] = copies;
    if (first === undefined) return { kind: 'refused', reason: 'No recipient of this attempt belongs to the email' };
    if (copies.length === 1) return this.post(email, first, signal, handOver);
    return this.deliverHidden(email, copies, signal, handOver);
  }

  /**
   * Calls for one hidden recipient after another: `/emails/batch`, which would take them in one call, takes no
   * attachments. Recipients not reached yet are deferred.
   */
  private async deliverHidden(
    email: OutgoingEmail,
    copies: readonly Copy[],
    signal: AbortSignal,
    handOver: HandOver,
  ): Promise<DeliveryOutcome> {
    const results: RecipientResult[] = [];
    let accepted: Extract<DeliveryOutcome, { kind: 'accepted' }> | undefined;
    let last!: DeliveryOutcome;
    for (const copy of copies) {
      last = await this.post(email, copy, signal, handOver);
      // A repeat of all calls is harmless, because each has its own idempotency key.
      if (last.kind === 'ambiguous') return withRefusals(last, results);
      if (last.kind !== 'accepted' && last.kind !== 'refused') break;
      if (last.kind === 'accepted') accepted ??= last;
      results.push(...resultsFor(copy, last));
    }
    if (!accepted) return last.kind === 'refused' ? { ...last, recipients: results } : last;
    const deferred = copies.slice(results.length).flatMap((copy) => resultsFor(copy, last));
    return { ...accepted, recipients: [...results, ...deferred] };
  }

  private post(email: OutgoingEmail, copy: Copy, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome> {
    return this.api.post(
      {
        headers: { ...this.headers, 'Idempotency-Key': idempotencyKeyOf(email, copy) },
        bodyOf: () => Promise.resolve(emailsBodyOf(email, copy)),
        outcomeOf: (response) => resendOutcomeOf(response, email.messageId, this.clock.now()),
      },
      signal,
      handOver,
    );
  }

  callWithoutEmail(signal: AbortSignal): Promise<DeliveryOutcome> {
    const outcomeOf = (response: ProviderResponse) => resendOutcomeOf(response, '', this.clock.now());
    return this.api.postWithoutEmail({ headers: this.headers, outcomeOf }, signal);
  }

  /** Aborts requests in flight. Call it after the last delivery has returned. */
  close(): Promise<void> {
    this.api.close();
    return Promise.resolve();
  }

  private get headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.options.apiKey}`, ...JSON_HEADERS };
  }
}

/** The recipients whom Resend refused before the call with the unknown outcome are in no doubt. */
function withRefusals(outcome: Ambiguous, results: readonly RecipientResult[]): Ambiguous {
  const recipients = results.filter(({ state }) => state === 'refused');
  return recipients.length > 0 ? { ...outcome, recipients } : outcome;
}

/** Any outcome that is neither an acceptance nor a refusal leaves the recipients for another attempt. */
function resultsFor({ to }: Copy, outcome: DeliveryOutcome): RecipientResult[] {
  const { kind } = outcome;
  const state = kind === 'accepted' || kind === 'refused' ? kind : 'deferred';
  const reason = kind === 'accepted' ? {} : { reason: outcome.reason };
  return to.map(({ address }) => ({ address, state, ...reason }));
}
