import type { Clock } from '../../platform/clock/clock.js';
import { refusalOfUnsafe } from '../header-safety.js';
import type { RequestBody } from '../http/http-exchange.js';
import { NO_EMAIL, ProviderApi } from '../http/provider-api.js';
import type { ProviderResponse } from '../http/provider-response.js';
import type { DeliveryOutcome, DeliveryProvider, HandOver, OutgoingEmail } from '../provider.js';
import { mailgunOutcome } from './mailgun-response.js';
import { mailgunRequestBody } from './request-body.js';

export interface MailgunOptions {
  readonly apiKey: string;
  /** The domain in Mailgun's account that sends. */
  readonly domain: string;
  /** Base address of the API, without a path. That of the EU is https://api.eu.mailgun.net. */
  readonly url: string;
  /** Maximum number of open connections. Further requests wait for a free one. */
  readonly maxConnections: number;
}

/**
 * The API reads forms. It does not document how it responds to a body without a type: a failure would look
 * like an outage.
 */
const EMPTY_FORM: RequestBody = { ...NO_EMAIL, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };

/**
 * Delivers through Mailgun's v3 API. The API has no results per recipient, so an attempt goes to all remaining
 * recipients. It has no idempotency key, so a lost response is 'ambiguous'.
 */
export class MailgunProvider implements DeliveryProvider {
  readonly name = 'mailgun';
  private readonly api: ProviderApi;

  constructor(
    private readonly options: MailgunOptions,
    private readonly clock: Clock,
  ) {
    const { url, domain, maxConnections } = options;
    const path = `/v3/${encodeURIComponent(domain)}/messages.mime`;
    this.api = new ProviderApi({ label: 'Mailgun', url: url + path, maxConnections });
  }

  async deliver(email: OutgoingEmail, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome> {
    const unsafe = refusalOfUnsafe(email);
    if (unsafe) return unsafe;
    return this.api.post(
      {
        headers: this.headers,
        bodyOf: () => mailgunRequestBody(email),
        outcomeOf: (response) => mailgunOutcome(response, email.messageId, this.clock.now()),
      },
      signal,
      handOver,
    );
  }

  callWithoutEmail(signal: AbortSignal): Promise<DeliveryOutcome> {
    const outcomeOf = (response: ProviderResponse) => mailgunOutcome(response, '', this.clock.now());
    const bodyOf = () => Promise.resolve(EMPTY_FORM);
    return this.api.postWithoutEmail({ headers: this.headers, bodyOf, outcomeOf }, signal);
  }

  /** Aborts requests in flight. Call it after the last delivery has returned. */
  close(): Promise<void> {
    this.api.close();
    return Promise.resolve();
  }

  private get headers(): Record<string, string> {
    const credentials = Buffer.from(`api:${this.options.apiKey}`).toString('base64');
    return { Authorization: `Basic ${credentials}`, Accept: 'application/json', 'User-Agent': 'mailbeacon' };
  }
}
