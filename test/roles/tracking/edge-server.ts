import { createServer, request, type IncomingHttpHeaders, type OutgoingHttpHeaders, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { RequestClassifier } from '../../../src/events/classification/classify-request.js';
import { readScannerNetworks } from '../../../src/events/classification/scanner-networks.js';
import { readNetwork } from '../../../src/platform/addresses/network-table.js';
import { ClientAddresses } from '../../../src/platform/http/client-address.js';
import { NodeHead } from '../../../src/platform/http/fast-path/request-head.js';
import { NodeReply } from '../../../src/platform/http/fast-path/static-response.js';
import { generateEmailTrackingId } from '../../../src/links/email-tracking-id.js';
import { signLink } from '../../../src/links/link-token.js';
import { SigningKeys } from '../../../src/links/signing-keys.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import type { AppendListener } from '../../../src/events/stream/event-appender.js';
import { HitVerdicts } from '../../../src/roles/tracking/hit-verdicts.js';
import { TrackingEdge } from '../../../src/roles/tracking/tracking-edge.js';
import { HIT_OUTCOMES, TrackingMetrics, type Hit } from '../../../src/roles/tracking/tracking-metrics.js';

const keys = new SigningKeys([{ id: 1, secret: Buffer.alloc(32, 7) }]);
export const emailTrackingId = generateEmailTrackingId(keys, Buffer.alloc(12, 3));
export const pixelPath = `/api/t/o/${emailTrackingId}`;
export const linkPath = (url: string, position = 0) => `/api/t/c/${signLink(keys, { emailTrackingId, position, url })}`;

/** What a person's browser sends. */
export const BROWSER = {
  'user-agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'accept-language': 'en-GB,en;q=0.9',
};

/** The verdicts of this release's own tables. */
export function ownVerdicts(trustedProxies: readonly string[] = []): HitVerdicts {
  const addresses = new ClientAddresses(trustedProxies.map((proxy) => readNetwork(proxy)!));
  return new HitVerdicts(new RequestClassifier(readScannerNetworks()), addresses);
}

/** An empty deny list. */
export const NOTHING_BLOCKED = { isEmpty: true, check: () => undefined, isDeleted: () => false };

/** No tracking domains. */
export const NO_HOSTS = { isEmpty: true, serves: () => true };

export interface EdgeResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A tracking edge behind a real HTTP server that returns 418 for requests that the edge does not handle. */
export class EdgeServer {
  now = Date.UTC(2026, 10, 21);
  readonly events: EngagementEvent[] = [];
  /** Stores an event; a test may replace it. */
  store: (event: EngagementEvent) => Promise<void> = async (event) => void this.events.push(event);
  private readonly metrics = new TrackingMetrics(new Registry());
  private readonly server: Server;

  private readonly edge: TrackingEdge;

  private constructor(singlePerMinute: number, trustedProxies: readonly string[]) {
    const clock = { now: () => this.now };
    const appendFor = (event: EngagementEvent, appending: AppendListener) =>
      void this.store(event).then(
        () => appending.stored(),
        (error: unknown) => appending.lost(error),
      );
    this.edge = new TrackingEdge(() => keys, { appendFor }, clock, this.metrics, {
      verdicts: ownVerdicts(trustedProxies),
      blocking: NOTHING_BLOCKED,
      hosts: NO_HOSTS,
      singlePerMinute,
    });
    this.server = createServer((request, response) => {
      const { method = '', url = '' } = request;
      if (!this.edge.handle(method, url, new NodeReply(response), new NodeHead(request))) response.writeHead(418).end();
    });
  }

  /** @param singlePerMinute events of one email that are stored one by one */
  static async start(singlePerMinute = 65_535, trustedProxies: readonly string[] = []): Promise<EdgeServer> {
    const edge = new EdgeServer(singlePerMinute, trustedProxies);
    await new Promise<void>((resolve) => edge.server.listen(0, '127.0.0.1', resolve));
    return edge;
  }

  /** Appends everything counted so far, as the end of a process does. */
  appendSums(): void {
    this.edge.close();
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  request(path: string, method = 'GET', headers: OutgoingHttpHeaders = BROWSER): Promise<EdgeResponse> {
    return new Promise((resolve, reject) => {
      const options = { port: this.port, host: '127.0.0.1', path, method, headers, agent: false };
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

  /** Sends `count` requests on one connection, pipelined; resolves when each got a redirect. */
  async hammer(path: string, count: number, headers: Record<string, string> = BROWSER): Promise<void> {
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
    const lines = Object.entries({ host: 'example', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`.repeat(count));
    await done;
    socket.destroy();
  }

  /** The outcomes of the requests so far, without those that did not occur. */
  counted(kind: Hit): Record<string, number> {
    const all = HIT_OUTCOMES.map((outcome) => [outcome, this.metrics.of(kind, outcome)] as const);
    return Object.fromEntries(all.filter(([, count]) => count > 0));
  }

  private get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
}
