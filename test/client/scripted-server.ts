import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Step {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Closes the connection instead: before a response, or in the middle of one. */
  readonly breaks?: 'before' | 'within';
  /** Never responds: not at all, or not to the end. */
  readonly hangs?: true | 'within';
  /** Responds once this resolves. */
  readonly after?: Promise<void>;
}

interface Received {
  readonly request: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** In milliseconds, on the clock of performance.now(). */
  readonly at: number;
}

/** A real HTTP server that responds with the given steps, one per request, and then with an empty object. */
export class ScriptedServer {
  readonly received: Received[] = [];
  private steps: Step[] = [];

  private constructor(private readonly server: Server) {}

  static async listen(): Promise<ScriptedServer> {
    const server = createServer();
    const scripted = new ScriptedServer(server);
    server.on('request', async (request, response) => {
      const at = performance.now();
      const body = Buffer.concat(await request.toArray().catch(() => [])).toString();
      scripted.received.push({ request: `${request.method} ${request.url}`, headers: request.headers, body, at });
      const step = scripted.steps.shift() ?? {};
      if (step.hangs === true) return;
      await step.after;
      if (step.breaks === 'before') return void request.socket.destroy();
      response.writeHead(step.status ?? 200, { 'content-type': 'application/json', ...step.headers });
      if (step.hangs === 'within') return void response.write('{"id":');
      if (step.breaks !== 'within') return void response.end(step.body ?? '{}');
      response.write('{"id":', () => request.socket.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return scripted;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  play(...steps: Step[]): void {
    this.steps = steps;
    this.received.length = 0;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
