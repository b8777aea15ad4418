import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import type { RecipientEvent } from '../../../../src/events/recipient-event.js';
import type { EventSink } from '../../../../src/roles/tracking/event-sink.js';
import { generateEmailTrackingId } from '../../../../src/links/email-tracking-id.js';
import { signUnsubscription, type Unsubscription } from '../../../../src/links/unsubscribe-token.js';
import { UnsubscribeEdge } from '../../../../src/roles/tracking/unsubscribe/unsubscribe-edge.js';
import { UnsubscribeMetrics } from '../../../../src/roles/tracking/unsubscribe/unsubscribe-metrics.js';
import { keysWith } from '../../../links/keys.js';
import { NO_HOSTS } from '../edge-server.js';

const keys = keysWith(1);
let created = 0;

/** The body of RFC 8058, and the type of the form that carries it. */
export const ONE_CLICK = 'List-Unsubscribe=One-Click';
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** The tracking ID of another email each time. */
export const anEmail = (): string => generateEmailTrackingId(keys, new Uint8Array(12).fill(++created));

export const pathOf = (subject: Partial<Unsubscription> = {}): string =>
  `/api/t/u/${signUnsubscription(keys, {
    emailTrackingId: subject.emailTrackingId ?? anEmail(),
    sender: { address: 'news@acme.example', name: 'Acme Shop' },
    recipient: 'reader@example.com',
    ...subject,
  })}`;

/** The same as a multipart form. */
export function multipart(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

/** The page behind a real HTTP server that responds 418 to requests that the page does not handle. */
export class UnsubscribeServer {
  now = Date.UTC(2026, 10, 22);
  readonly events: RecipientEvent[] = [];
  /** Stores an event; a test may replace it. */
  store: (event: RecipientEvent) => Promise<void> = async (event) => void this.events.push(event);
  /** True while the disk takes so long that readers must not wait for it. */
  isSlow = false;
  private readonly registry = new Registry();
  private readonly server: Server;

  private constructor() {
    const sink: EventSink = {
      appendFor: (event, listener) => {
        if (this.isSlow) listener.delayed?.();
        void this.store(event as RecipientEvent).then(
          () => listener.stored(),
          (error: unknown) => listener.lost(error),
        );
      },
    };
    const metrics = new UnsubscribeMetrics(this.registry);
    const edge = new UnsubscribeEdge(() => keys, sink, { now: () => this.now }, metrics, NO_HOSTS);
    this.server = createServer((request, response) => {
      if (!edge.handle(request, response)) response.writeHead(418).end();
    });
  }

  static async start(): Promise<UnsubscribeServer> {
    const page = new UnsubscribeServer();
    await new Promise<void>((resolve) => page.server.listen(0, '127.0.0.1', resolve));
    return page;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  request(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.port}${path}`, { signal: AbortSignal.timeout(10_000), ...init });
  }

  post(path: string, body: RequestInit['body'], headers: Record<string, string> = {}): Promise<Response> {
    return this.request(path, { method: 'POST', body, headers });
  }

  /** The outcomes so far, without those that did not occur. */
  async counted(): Promise<Record<string, number>> {
    const [metric] = await this.registry.getMetricsAsJSON();
    const values = metric!.values as { labels: { outcome: string }; value: number }[];
    return Object.fromEntries(values.filter(({ value }) => value > 0).map((one) => [one.labels.outcome, one.value]));
  }
}
