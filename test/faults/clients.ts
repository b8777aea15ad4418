import { setTimeout as delay } from 'node:timers/promises';
import type { SendAnswer } from '../../src/emails/send-answers.js';
import { CANARIES } from './canaries.js';
import type { HitRecord, Ledger, SendRecord } from './ledger.js';
import type { ServiceProcess } from './plant/service-process.js';

const REQUEST_TIMEOUT_MS = 15_000;
const REGISTRATION_PATIENCE_MS = 60_000;
const RETRY_MS = 200;
const LONGEST_RETRY_MS = 2_000;
const RETRY_WORTHY = new Set([409, 429, 500, 502, 503, 504]);

/** What a reader of an email can request. */
export interface Readable {
  readonly pixelPath: string;
  readonly linkPaths: readonly string[];
}

export interface SendOptions {
  readonly to?: string;
  readonly campaign?: string;
  readonly html?: string;
  /** Does not wait for the provider. */
  readonly atOnce?: boolean;
  /** How long the client goes on when it gets no answer. */
  readonly patienceMs?: number;
}

/** A customer's program and their readers: they retry like sensible clients and write down what they were told. */
export class Clients {
  private turn = 0;

  constructor(
    private readonly apis: () => readonly ServiceProcess[],
    private readonly edges: () => readonly ServiceProcess[],
    private readonly apiKey: string,
    readonly ledger: Ledger,
  ) {}

  /** Asks to be told of every sending, again while an earlier fault still has an API down. */
  async listen(url: string): Promise<void> {
    const giveUpAt = performance.now() + REGISTRATION_PATIENCE_MS;
    for (;;) {
      const response = await this.register(url).catch((error: unknown) => new Response(String(error), { status: 503 }));
      if (response.status === 201) return;
      const why = await response.text();
      if (!RETRY_WORTHY.has(response.status) || performance.now() > giveUpAt) throw new Error(`No webhook: ${why}`);
      await delay(RETRY_MS);
    }
  }

  private register(url: string): Promise<Response> {
    return fetch(`${this.next(this.apis()).address}/api/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': this.apiKey },
      body: JSON.stringify({ url, events: ['EMAIL_SENT'] }),
    });
  }

  /** Sends one email, again under the same key until it is answered. Resolves also when it never is. */
  async send(options: SendOptions = {}): Promise<SendRecord & { readonly readable?: Readable }> {
    const record = this.ledger.newSend();
    const begun = performance.now();
    const giveUpAt = begun + (options.patienceMs ?? 90_000);
    let why = '';
    for (let attempt = 0; attempt === 0 || performance.now() < giveUpAt; attempt++) {
      if (attempt > 0) await delay(Math.min(RETRY_MS * attempt, LONGEST_RETRY_MS));
      const startedAt = performance.now();
      record.tries++;
      const response = await this.post(record.key, options).catch((error: unknown) => void (why = String(error)));
      if (!response) continue;
      this.ledger.statuses.push(response.status);
      const body = (await response.json().catch(() => undefined)) as (SendAnswer & { error?: string }) | undefined;
      why = `${response.status} ${body?.error ?? ''}`;
      if (response.ok && body) {
        const milliseconds = performance.now() - startedAt;
        record.answer = { status: response.status, trackingId: body.emailTrackingId, milliseconds };
        return Object.assign(record, { readable: readableOf(body) });
      }
      if (body?.error?.startsWith('Email delivery failed')) return record;
      if (!RETRY_WORTHY.has(response.status)) break;
    }
    this.ledger.complaints.push(`${record.key}: ${why}`);
    return record;
  }

  /** One open or click, never repeated: a repetition would be another one. */
  async hit(path: string): Promise<HitRecord> {
    const begun = performance.now();
    const address = this.next(this.edges()).address;
    let record: HitRecord;
    try {
      const response = await fetch(address + path, { redirect: 'manual', signal: AbortSignal.timeout(10_000) });
      await response.arrayBuffer();
      const expected = path.startsWith('/api/t/o/') ? 200 : 302;
      if (response.status !== expected) this.ledger.complaints.push(`${path.slice(0, 9)} answered ${response.status}`);
      const id = response.headers.get('x-request-id') ?? '';
      record = { answered: true, id, milliseconds: performance.now() - begun };
    } catch {
      record = { answered: false, milliseconds: performance.now() - begun };
    }
    this.ledger.hits.push(record);
    return record;
  }

  private post(key: string, { to, campaign, html, atOnce }: SendOptions): Promise<Response> {
    return fetch(`${this.next(this.apis()).address}/api/send`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': this.apiKey,
        'idempotency-key': key,
        ...(atOnce && { prefer: 'respond-async' }),
      },
      body: JSON.stringify({
        from: `${CANARIES.sender}@acme.example`,
        to: to ?? `${CANARIES.reader}-${key.toLowerCase()}@example.com`,
        subject: CANARIES.subject,
        htmlContent: html ?? `<p>${CANARIES.body} <a href="https://shop.example/${key}">a</a></p>`,
        campaignId: campaign ?? this.ledger.name,
        metadata: { ledger: key, note: CANARIES.metadata },
      }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
  }

  private next(services: readonly ServiceProcess[]): ServiceProcess {
    return services[this.turn++ % services.length]!;
  }
}

function readableOf({ pixelUrl, links }: SendAnswer): Readable {
  const path = (url: string) => new URL(url).pathname;
  return { pixelPath: path(pixelUrl), linkPaths: links.map(({ trackingUrl }) => path(trackingUrl)) };
}
