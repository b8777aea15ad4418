import type { Clock } from '../../platform/clock/clock.js';
import type { ProviderCredentials } from '../../platform/config/provider-credentials.js';
import { refusalOfUnsafe } from '../header-safety.js';
import type { BodySource, RequestBody } from '../http/http-exchange.js';
import { JSON_HEADERS } from '../http/json-body.js';
import { NO_EMAIL, ProviderApi } from '../http/provider-api.js';
import type { DeliveryOutcome, DeliveryProvider, HandOver, OutgoingEmail } from '../provider.js';
import { signatureHeaders } from './aws-signature.js';
import { sesRequestBody, bodyHashOf, type HashedBody } from './request-body.js';
import { SesMessages } from './ses-message.js';
import { sesOutcome } from './ses-response.js';

export type SesOptions = ProviderCredentials['ses'] & {
  /** Base address of the API, without a path. Absent: the one of the region. */
  readonly url?: string;
  /** Maximum number of open connections. Further requests wait for a free one. */
  readonly maxConnections: number;
};

const PATH = '/v2/email/outbound-emails';
const SIGNED_HEADERS = { 'Content-Type': JSON_HEADERS['Content-Type'] };

/**
 * Delivers through the API v2 of Amazon SES. The API has no results per recipient and no idempotency key, so a lost
 * response is 'ambiguous'.
 */
export class SesProvider implements DeliveryProvider {
  readonly name = 'ses';
  private readonly messages = new SesMessages();
  private readonly api: ProviderApi;
  private readonly host: string;

  constructor(
    private readonly options: SesOptions,
    private readonly clock: Clock,
  ) {
    const { region, maxConnections, url = `https://email.${region}.amazonaws.com${suffixOf(region)}` } = options;
    this.host = new URL(url).host;
    this.api = new ProviderApi({ label: 'SES', url: url + PATH, maxConnections });
  }

  async deliver(email: OutgoingEmail, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome> {
    const unsafe = refusalOfUnsafe(email);
    if (unsafe) return unsafe;
    return this.api.post(
      {
        headers: JSON_HEADERS,
        bodyOf: this.bodyOf(email),
        outcomeOf: (response) => sesOutcome(response, email, this.clock.now()),
      },
      signal,
      handOver,
    );
  }

  callWithoutEmail(signal: AbortSignal): Promise<DeliveryOutcome> {
    const nobody = { from: { address: '' }, messageId: '' };
    return this.api.postWithoutEmail(
      {
        headers: JSON_HEADERS,
        bodyOf: () => Promise.resolve(this.signed({ ...NO_EMAIL, hash: bodyHashOf(NO_EMAIL.end) })),
        outcomeOf: (response) => sesOutcome(response, nobody, this.clock.now()),
      },
      signal,
    );
  }

  /** Signs once connected, because a signature is valid for minutes only. */
  private bodyOf(email: OutgoingEmail): BodySource {
    const { configurationSet } = this.options;
    return async () => this.signed(await sesRequestBody(email, this.messages.readerOf(email), configurationSet));
  }

  private signed({ hash, ...body }: HashedBody): RequestBody {
    const { region } = this.options;
    const request = { host: this.host, path: PATH, region, headers: SIGNED_HEADERS, bodyHash: hash };
    return { ...body, headers: signatureHeaders(request, this.options, this.clock.now()) };
  }

  /** Aborts requests in flight. Call it after the last delivery has returned. */
  close(): Promise<void> {
    this.api.close();
    return Promise.resolve();
  }
}

function suffixOf(region: string): string {
  return region.startsWith('cn-') ? '.cn' : '';
}
