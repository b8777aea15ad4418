import type { WebhookEventType } from '../../src/webhooks/webhook-events.js';
import { ApiClient, isRetryable, waitBeforeRetry } from './api-client.js';
import type { SendResponse } from './observations.js';
import { DELIVERY_FAILED, type HitRecord, type ClientHistory, type SendRecord } from './client-history.js';
import { composeMail, type Mail, type MailOptions } from './mail.js';
import type { ServiceProcess } from './testbed/service-process.js';

const REGISTRATION_TIMEOUT_MS = 60_000;
const HIT_TIMEOUT_MS = 10_000;
const BROWSER = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
/** User agents of people, whose hits the rules of time and order may relabel, of an image proxy, and of a scanner. */
const USER_AGENTS = [
  ...[BROWSER, BROWSER],
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'Barracuda Sentinel (EE)',
];

/** What a reader of an email can request. */
export interface TrackedEmail {
  readonly trackingId: string;
  readonly pixelPath: string;
  readonly linkPaths: readonly string[];
}

export interface SendOptions extends MailOptions {
  /** Does not wait for the provider. */
  readonly respondAsync?: boolean;
  /** How long the client repeats the request when it gets no response. */
  readonly timeoutMs?: number;
}

type Target = Pick<HitRecord, 'type' | 'trackingId' | 'position' | 'url'>;

/** The client of a customer, and readers of its emails. They retry as careful clients do, and record every response. */
export class Clients {
  readonly api: ApiClient;
  /** What each pixel and link path belongs to. */
  private readonly targets = new Map<string, Target>();
  private turn = 0;

  constructor(
    apis: () => readonly ServiceProcess[],
    private readonly edges: () => readonly ServiceProcess[],
    apiKey: string,
    readonly history: ClientHistory,
  ) {
    this.api = new ApiClient(apis, apiKey);
  }

  /**
   * Subscribes a webhook to events. Retries while an earlier fault still affects an API.
   * @returns the secret that signs the webhooks
   */
  async subscribe(url: string, events: readonly WebhookEventType[]): Promise<string> {
    const { status, body } = await this.api.requestWithRetries(
      '/api/webhooks',
      { url, events },
      REGISTRATION_TIMEOUT_MS,
    );
    if (status !== 201) throw new Error(`No webhook: ${status}`);
    return String(body['secret']);
  }

  /** Sends one email, and repeats the request with the same key until it gets a response or time is up. */
  async send(options: SendOptions = {}): Promise<SendRecord & { readonly trackedEmail?: TrackedEmail }> {
    let mail: Mail | undefined;
    const record = this.history.addSend((key, number) => {
      mail = composeMail(this.history.name, key, number, options);
      return mail.message;
    });
    const deadline = performance.now() + (options.timeoutMs ?? 90_000);
    let why = '';
    for (let attempt = 0; attempt === 0 || performance.now() < deadline; attempt++) {
      await waitBeforeRetry(attempt);
      record.attempts++;
      const response = await this.post(record.key, mail!, options).catch((error: unknown) => {
        why = `${String(error)} (${String((error as Error).cause)})`;
        record.connectionErrors.push(why);
      });
      if (!response) continue;
      record.responses.push(response);
      const { status, email, error = '' } = response;
      if (email) return Object.assign(record, { trackedEmail: this.toTrackedEmail(email, record) });
      // The invariants check the content of a 500 and a 400.
      if (error.startsWith(DELIVERY_FAILED) || status === 400) return record;
      why = `${status} ${error}`;
      if (!isRetryable(status)) break;
    }
    this.history.clientErrors.push(`${record.key}: ${why}`);
    return record;
  }

  /** One open or click. It is never repeated: a repetition would be another event. */
  async hit(path: string): Promise<HitRecord> {
    const target = this.targets.get(path);
    if (!target) throw new Error('No email contains this path');
    const startedAt = performance.now();
    const edges = this.edges();
    const milliseconds = () => performance.now() - startedAt;
    let record: HitRecord;
    try {
      const { address } = edges[this.turn++ % edges.length]!;
      const signal = AbortSignal.timeout(HIT_TIMEOUT_MS);
      const headers = { 'user-agent': userAgentOf(target), 'accept-language': 'en' };
      const response = await fetch(address + path, { redirect: 'manual', signal, headers });
      await response.arrayBuffer();
      this.checkHitResponse(target, response);
      const id = response.headers.get('x-request-id') ?? '';
      record = { ...target, hasResponse: true, id, milliseconds: milliseconds() };
    } catch {
      record = { ...target, hasResponse: false, milliseconds: milliseconds() };
    }
    this.history.hits.push(record);
    return record;
  }

  private checkHitResponse({ type, url }: Target, { status, headers }: Response): void {
    const isRight = type === 'opened' ? status === 200 : status === 302 && headers.get('location') === url;
    if (!isRight) this.history.clientErrors.push(`${url ?? 'a pixel'} got ${status} ${headers.get('location')}`);
  }

  private async post(key: string, { request }: Mail, { respondAsync }: SendOptions): Promise<SendResponse> {
    const [at, startedAt] = [Date.now(), performance.now()];
    const headers = { 'idempotency-key': key, ...(respondAsync && { prefer: 'respond-async' }) };
    const { status, body } = await this.api.request('/api/send', request, headers);
    const milliseconds = performance.now() - startedAt;
    if (status >= 300) return { status, at, milliseconds, error: String(body['error']) };
    const email = body as unknown as NonNullable<SendResponse['email']>;
    return { status, at, milliseconds, email: { ...email, to: email.to.map((address) => address.toLowerCase()) } };
  }

  private toTrackedEmail({ emailTrackingId, pixelUrl, links }: NonNullable<SendResponse['email']>, record: SendRecord) {
    const pixelPath = new URL(pixelUrl).pathname;
    this.targets.set(pixelPath, { type: 'opened', trackingId: emailTrackingId });
    const linkPaths = links.map((link, position) => {
      const path = new URL((link as { trackingUrl?: string }).trackingUrl!).pathname;
      const url = record.message.urls[position] ?? '';
      this.targets.set(path, { type: 'clicked', trackingId: emailTrackingId, position, url });
      return path;
    });
    return { trackingId: emailTrackingId, pixelPath, linkPaths };
  }
}

/** The same for all hits of an email. */
function userAgentOf({ trackingId }: Target): string {
  return USER_AGENTS[trackingId.charCodeAt(0) % USER_AGENTS.length]!;
}
