import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { NodeReply } from '../../../src/platform/http/fast-path/static-response.js';
import { mintEmailTrackingId } from '../../../src/links/email-tracking-id.js';
import { signLink } from '../../../src/links/link-token.js';
import { SigningKeys } from '../../../src/links/signing-keys.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import type { AppendListener } from '../../../src/events/stream/event-appender.js';
import { TrackingEdge } from '../../../src/roles/tracking/tracking-edge.js';
import { HIT_OUTCOMES, TrackingMetrics, type Hit } from '../../../src/roles/tracking/tracking-metrics.js';

const keys = new SigningKeys([{ id: 1, secret: Buffer.alloc(32, 7) }]);
export const emailTrackingId = mintEmailTrackingId(keys, Buffer.alloc(12, 3));
export const pixelPath = `/api/t/o/${emailTrackingId}`;
export const linkPath = (url: string, position = 0) => `/api/t/c/${signLink(keys, { emailTrackingId, position, url })}`;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A tracking edge behind a real HTTP server that answers 418 to what the edge leaves alone. */
export class EdgeServer {
  now = Date.UTC(2026, 10, 21);
  readonly events: EngagementEvent[] = [];
  /** What storing an event does; a test may replace it. */
  store: (event: EngagementEvent) => Promise<void> = async (event) => void this.events.push(event);
  private readonly metrics = new TrackingMetrics(new Registry());
  private readonly server: Server;

  private readonly edge: TrackingEdge;

  private constructor(singlePerMinute: number) {
    const clock = { now: () => this.now };
    const appendFor = (event: EngagementEvent, appending: AppendListener) =>
      void this.store(event).then(
        () => appending.stored(),
        (error: unknown) => appending.lost(error),
      );
    this.edge = new TrackingEdge(() => keys, { appendFor }, clock, this.metrics, singlePerMinute);
    this.server = createServer(({ method = '', url = '' }, response) => {
      if (!this.edge.handle(method, url, new NodeReply(response))) response.writeHead(418).end();
    });
  }

  /** @param singlePerMinute events of one email that are stored one by one */
  static async start(singlePerMinute = 65_535): Promise<EdgeServer> {
    const edge = new EdgeServer(singlePerMinute);
    await new Promise<void>((resolve) => edge.server.listen(0, '127.0.0.1', resolve));
    return edge;
  }

  /** Has everything appended that is counted so far, as the end of a process does. */
  appendSums(): void {
    this.edge.close();
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  ask(path: string, method = 'GET'): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const options = { port: this.port, host: '127.0.0.1', path, method, agent: false };
      const outgoing = request(options, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode!, headers: incoming.headers, body: Buffer.concat(chunks) }),
        );
      });
      outgoing.on('error', reject).end();
    });
  }

  /** Sends `count` requests down one connection, many at a time; resolves when each was answered by a redirect. */
  async hammer(path: string, count: number): Promise<void> {
    const socket = connect(this.port, '127.0.0.1');
    let received = '';
    const redirects = () => received.split('HTTP/1.1 302').length - 1;
    const done = new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1');
        if (received.endsWith('\r\n\r\n') && redirects() >= count) resolve();
      });
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: example\r\n\r\n`.repeat(count));
    await done;
    socket.destroy();
  }

  /** What became of the requests so far; outcomes that never came are left out. */
  counted(kind: Hit): Record<string, number> {
    const all = HIT_OUTCOMES.map((outcome) => [outcome, this.metrics.of(kind, outcome)] as const);
    return Object.fromEntries(all.filter(([, count]) => count > 0));
  }

  private get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
}
