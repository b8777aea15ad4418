import { randomUUID } from 'node:crypto';
import type { Balancer } from './balancer.js';

const SENDS_PER_SECOND = 25;
const SEND_TRIES = 10;

interface SendResponse {
  readonly emailTrackingId: string;
  readonly pixelUrl: string;
  readonly links: readonly { readonly trackingUrl: string }[];
}

/** The events of one email as a client has caused them. */
export interface Sent {
  readonly trackingId: string;
  opens: number;
  clicks: number;
}

/** Sends, opens and clicks at a steady rate, and records the responses. */
export class Traffic {
  readonly accepted: Sent[] = [];
  /** Failed requests of the client, with the time of the failure. */
  readonly errors: { readonly at: number; readonly what: string }[] = [];
  private timer: NodeJS.Timeout | undefined;
  private readonly inProgress = new Set<Promise<void>>();

  constructor(
    private readonly apis: Balancer,
    private readonly edges: Balancer,
    private readonly apiKey: string,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.track(this.oneRecipient()), 1_000 / SENDS_PER_SECOND);
  }

  /** Resolves when every request in progress has its response. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.inProgress);
  }

  errorsSince(time: number): string[] {
    return this.errors.filter(({ at }) => at >= time).map(({ what }) => what);
  }

  private track(work: Promise<void>): void {
    this.inProgress.add(work);
    void work.finally(() => this.inProgress.delete(work));
  }

  private async oneRecipient(): Promise<void> {
    const response = await this.send(randomUUID());
    if (!response) return;
    const sent: Sent = { trackingId: response.emailTrackingId, opens: 0, clicks: 0 };
    this.accepted.push(sent);
    if (await this.hit(response.pixelUrl, 200)) sent.opens += 1;
    for (const { trackingUrl } of response.links) if (await this.hit(trackingUrl, 302)) sent.clicks += 1;
  }

  /** Retries with the same key, as a careful client does. */
  private async send(key: string): Promise<SendResponse | undefined> {
    const body = {
      from: 'Ada <ada@acme.test>',
      to: `reader-${key}@example.test`,
      subject: 'News',
      htmlContent: '<p>Read <a href="https://acme.test/news">the news</a></p>',
      campaignId: 'Hosts',
    };
    for (let attempt = 1; attempt <= SEND_TRIES; attempt++) {
      try {
        const response = await this.apis.fetch('/api/send', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': this.apiKey, 'idempotency-key': key },
          body: JSON.stringify(body),
        });
        const text = await response.text();
        if (response.ok) return JSON.parse(text) as SendResponse;
        this.fail(`send: ${response.status} ${text}`);
      } catch (error) {
        this.fail(`send: ${reasonOf(error)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    return undefined;
  }

  private async hit(url: string, expected: number): Promise<boolean> {
    try {
      const response = await this.edges.fetch(new URL(url).pathname, { redirect: 'manual' });
      await response.arrayBuffer();
      if (response.status === expected) return true;
      this.fail(`hit: ${response.status}`);
    } catch (error) {
      this.fail(`hit: ${reasonOf(error)}`);
    }
    return false;
  }

  private fail(what: string): void {
    this.errors.push({ at: Date.now(), what });
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}
