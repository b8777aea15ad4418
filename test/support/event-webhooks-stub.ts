import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface StoredEventWebhook {
  readonly id: string;
  readonly url: string;
  readonly enabled: boolean;
  friendly_name?: string;
  public_key?: string;
  readonly [setting: string]: unknown;
}

/** Stub of the Event Webhooks API of a SendGrid account. */
export class EventWebhooksStub {
  webhooks: StoredEventWebhook[] = [];
  maxAllowed = 5;
  /** IDs of the webhooks for which a test event was requested. */
  tests: string[] = [];
  /** Method and path of every request that changed something. */
  changes: string[] = [];
  /** When set, requests to enable signing get this status. */
  signingFails: number | undefined;
  private made = 0;

  private constructor(
    private readonly server: Server,
    private readonly publicKey: string,
  ) {}

  static async listen(apiKey: string, publicKey: string): Promise<EventWebhooksStub> {
    const server = createServer();
    const stub = new EventWebhooksStub(server, publicKey);
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        const isOurs = request.headers.authorization === `Bearer ${apiKey}`;
        const [status, reply] = isOurs ? stub.respond(request.method!, request.url!, body) : [403, error('forbidden')];
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(reply === undefined ? '' : JSON.stringify(reply));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  private respond(method: string, path: string, body: string): [status: number, reply?: object] {
    const settings = '/v3/user/webhooks/event/settings';
    if (`${method} ${path}` === `GET ${settings}/all`) {
      return [200, { max_allowed: this.maxAllowed, webhooks: this.webhooks.length > 0 ? this.webhooks : [{}] }];
    }
    this.changes.push(`${method} ${path}`);
    const given = JSON.parse(body) as Record<string, string>;
    if (`${method} ${path}` === `POST ${settings}`) return this.create(given);
    const signed = this.webhooks.find(({ id }) => `PATCH ${settings}/signed/${id}` === `${method} ${path}`);
    if (signed && this.signingFails) return [this.signingFails, error('try later')];
    if (signed) return [200, { id: signed.id, public_key: (signed.public_key = this.publicKey) }];
    if (`${method} ${path}` !== 'POST /v3/user/webhooks/event/test') return [404, error('not found')];
    this.tests.push(given.id!);
    return [204];
  }

  private create(given: Record<string, string>): [number, object] {
    if (this.webhooks.some(({ url }) => url === given.url))
      return [400, error(`Webhook at '${given.url}' already exists`)];
    const made = { ...given, id: `webhook-${(this.made += 1)}`, url: given.url!, enabled: true };
    this.webhooks.push(made);
    return [201, made];
  }
}

function error(message: string): object {
  return { errors: [{ message }] };
}
