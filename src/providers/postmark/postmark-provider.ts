import type { Clock } from '../../platform/clock/clock.js';
import type { ProviderCredentials } from '../../platform/config/provider-credentials.js';
import { refusalOfUnsafe } from '../header-safety.js';
import type { RequestBody } from '../http/http-exchange.js';
import { JSON_HEADERS } from '../http/json-body.js';
import { ProviderApi } from '../http/provider-api.js';
import type { ProviderResponse } from '../http/provider-response.js';
import type { DeliveryOutcome, DeliveryProvider, HandOver, OutgoingEmail } from '../provider.js';
import { outcomeOfBatch } from './batch-response.js';
import { messagesOf, type AddressedMessage } from './postmark-message.js';
import { postmarkOutcome } from './postmark-response.js';
import { postmarkBatchBody, messageBody } from './request-body.js';

export type PostmarkOptions = ProviderCredentials['postmark'] & {
  /** Base address of the API, without a path. */
  readonly url: string;
  /** Maximum number of open connections. Further requests wait for a free one. */
  readonly maxConnections: number;
};

/**
 * Delivers through Postmark's API. An email whose only remaining recipients are several hidden ones becomes a batch
 * with a message for each: in a single message, one of them would be visible to the others in To. The API has no
 * idempotency key, so a lost response is 'ambiguous'.
 */
export class PostmarkProvider implements DeliveryProvider {
  readonly name = 'postmark';
  private readonly single: ProviderApi;
  private readonly batches: ProviderApi;

  constructor(
    private readonly options: PostmarkOptions,
    private readonly clock: Clock,
  ) {
    const { url, maxConnections } = options;
    this.single = new ProviderApi({ label: 'Postmark', url: `${url}/email`, maxConnections });
    this.batches = new ProviderApi({ label: 'Postmark', url: `${url}/email/batch`, maxConnections });
  }

  async deliver(email: OutgoingEmail, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome> {
    const unsafe = refusalOfUnsafe(email);
    if (unsafe) return unsafe;
    const messages = messagesOf(email, this.options.messageStream);
    const [first, ...others] = messages;
    if (!first) return { kind: 'refused', reason: 'The email has no recipient' };
    if (others.length > 0) return this.deliverBatch(email, messages, signal, handOver);
    const sent = { recipients: first.recipients, messageId: email.messageId };
    const body = messageBody(first, email.attachments ?? []);
    const outcomeOf = (response: ProviderResponse) => postmarkOutcome(response, sent, this.clock.now());
    return this.post(this.single, body, outcomeOf, signal, handOver);
  }

  private deliverBatch(
    { messageId, attachments = [] }: OutgoingEmail,
    messages: readonly AddressedMessage[],
    signal: AbortSignal,
    handOver: HandOver,
  ): Promise<DeliveryOutcome> {
    const { body, sent, left } = postmarkBatchBody(messages, attachments);
    const batch = { messageId, recipients: recipientsOf(sent), left: recipientsOf(left) };
    const outcomeOf = (response: ProviderResponse) => outcomeOfBatch(response, batch, this.clock.now());
    return this.post(this.batches, body, outcomeOf, signal, handOver);
  }

  private post(
    api: ProviderApi,
    body: RequestBody,
    outcomeOf: (response: ProviderResponse) => DeliveryOutcome,
    signal: AbortSignal,
    handOver: HandOver,
  ): Promise<DeliveryOutcome> {
    return api.post({ headers: this.headers, bodyOf: () => Promise.resolve(body), outcomeOf }, signal, handOver);
  }

  callWithoutEmail(signal: AbortSignal): Promise<DeliveryOutcome> {
    const outcomeOf = (response: ProviderResponse) =>
      postmarkOutcome(response, { recipients: [], messageId: '' }, this.clock.now());
    return this.single.postWithoutEmail({ headers: this.headers, outcomeOf }, signal);
  }

  /** Aborts requests in flight. Call it after the last delivery has returned. */
  close(): Promise<void> {
    this.single.close();
    this.batches.close();
    return Promise.resolve();
  }

  private get headers(): Record<string, string> {
    return { 'X-Postmark-Server-Token': this.options.serverToken, ...JSON_HEADERS };
  }
}

function recipientsOf(messages: readonly AddressedMessage[]): string[] {
  return messages.flatMap(({ recipients }) => recipients);
}
