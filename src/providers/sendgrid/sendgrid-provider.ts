import type { Clock } from '../../platform/clock/clock.js';
import { refusalOfUnsafe } from '../header-safety.js';
import type { BodySource } from '../http/http-exchange.js';
import { JSON_HEADERS } from '../http/json-body.js';
import { ProviderApi } from '../http/provider-api.js';
import type { ProviderResponse } from '../http/provider-response.js';
import type {
  BatchDelivery,
  BatchHandOver,
  BatchMessage,
  BatchRecipient,
  DeliveryOutcome,
  DeliveryProvider,
  HandOver,
  OutgoingEmail,
} from '../provider.js';
import { batchBody, fitsBatch, MAX_RECIPIENTS } from './batch-body.js';
import { sendGridRequestBody } from './request-body.js';
import { sendGridOutcome } from './sendgrid-response.js';

export interface SendGridOptions {
  readonly apiKey: string;
  /** Base address of the API, without a path. */
  readonly url: string;
  /** Maximum number of open connections. Further requests wait for a free one. */
  readonly maxConnections: number;
}

/**
 * Delivers through SendGrid's v3 API. The API has no results per recipient, so an attempt goes to all remaining
 * recipients. It has no idempotency key, so a lost response is 'ambiguous'.
 */
export class SendGridProvider implements DeliveryProvider {
  readonly name = 'sendgrid';
  readonly batch: BatchDelivery = {
    maxRecipients: MAX_RECIPIENTS,
    takes: fitsBatch,
    deliver: (...call) => this.deliverBatch(...call),
  };
  private readonly api: ProviderApi;

  constructor(
    private readonly options: SendGridOptions,
    private readonly clock: Clock,
  ) {
    const { url, maxConnections } = options;
    this.api = new ProviderApi({ label: 'SendGrid', url: `${url}/v3/mail/send`, maxConnections });
  }

  async deliver(email: OutgoingEmail, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome> {
    const unsafe = refusalOfUnsafe(email);
    if (unsafe) return unsafe;
    const body = sendGridRequestBody(email);
    return this.post(() => Promise.resolve(body), email.messageId, signal, handOver);
  }

  private post(
    bodyOf: BodySource,
    messageId: string,
    signal: AbortSignal,
    handOver: HandOver,
  ): Promise<DeliveryOutcome> {
    const outcomeOf = (response: ProviderResponse) => sendGridOutcome(response, messageId, this.clock.now());
    return this.api.post({ headers: this.headers, bodyOf, outcomeOf }, signal, handOver);
  }

  /** The body names only the recipients of claimed emails, so it is created after the claim. */
  private deliverBatch(
    message: BatchMessage,
    recipients: readonly BatchRecipient[],
    signal: AbortSignal,
    handOver: BatchHandOver,
  ): Promise<DeliveryOutcome> {
    const bodyOf: BodySource = async () => {
      const allowed = await handOver();
      const claimed = recipients.filter((_, index) => allowed[index]);
      if (claimed.length === 0) return undefined;
      const end = batchBody(message, claimed);
      return { length: Buffer.byteLength(end), end };
    };
    return this.post(bodyOf, recipients[0]!.messageId, signal, () => Promise.resolve(true));
  }

  callWithoutEmail(signal: AbortSignal): Promise<DeliveryOutcome> {
    const outcomeOf = (response: ProviderResponse) => sendGridOutcome(response, '', this.clock.now());
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
