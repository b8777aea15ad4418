import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span in OTLP's JSON encoding, with the roles of its process. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly status: { code?: number; message?: string };
  readonly roles: string;
  readonly facts: Readonly<Record<string, string | number>>;
}

interface Attribute {
  readonly key: string;
  readonly value: { stringValue?: string; intValue?: number };
}
interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      spans: readonly (Omit<ReceivedSpan, 'roles' | 'facts'> & { attributes: readonly Attribute[] })[];
    }[];
  }[];
}

/** An OTLP collector on loopback that keeps the spans it receives. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** All request bodies as received. */
  raw = '';
  private constructor(private readonly server: Server) {}

  static async listen(): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.url === '/v1/traces') receiver.keep(Buffer.concat(chunks).toString('utf8'));
        response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private keep(text: string): void {
    this.raw += text;
    for (const { resource, scopeSpans } of (JSON.parse(text) as TraceRequest).resourceSpans) {
      const roles = String(factsOf(resource.attributes)['mailbeacon.roles']);
      for (const { attributes, ...span } of scopeSpans.flatMap(({ spans }) => spans)) {
        this.spans.push({ ...span, roles, facts: factsOf(attributes) });
      }
    }
  }
}

function factsOf(attributes: readonly Attribute[]): Record<string, string | number> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));
}
