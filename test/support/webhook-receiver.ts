import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface ReceivedWebhook {
  readonly id: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** By `performance.now()`. */
  readonly at: number;
  /** Status of the response, once it was sent completely. */
  status?: number;
}

type Respond = (response: ServerResponse, request: ReceivedWebhook) => void;

export const respondWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Respond =>
  (response) =>
    void response.writeHead(status, headers).end(body);

/** A real HTTP receiver on loopback. It keeps the requests it receives, and responds with 204 or as configured. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  respond: Respond = respondWith(204);
  connections = 0;
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  private port = 0;

  static async listen(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await receiver.start();
    return receiver;
  }

  /** Can be called again after a stop; the port stays the same. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.receive(request, response));
    server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Refuses connections from now on. */
  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server?.close(resolve) ?? resolve(undefined));
    this.server = undefined;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const received: ReceivedWebhook = {
      id: String(request.headers['webhook-id']),
      path: request.url ?? '',
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString(),
      at: performance.now(),
    };
    this.received.push(received);
    response.once('finish', () => (received.status = response.statusCode));
    this.respond(response, received);
  }
}
