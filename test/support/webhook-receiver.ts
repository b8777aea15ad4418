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
  url = '';
  respond: Respond = respondWith(204);
  connections = 0;
  private isDown = false;
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();

  static async listen(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await receiver.start();
    return receiver;
  }

  private async start(): Promise<void> {
    const server = createServer((request, response) => void this.receive(request, response));
    server.on('connection', (socket: Socket) => {
      if (this.isDown) return void socket.resetAndDestroy();
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    this.server = server;
  }

  /** Resets connections until `comeBack`. The port stays taken: a server of another test could respond at it. */
  goDown(): void {
    this.isDown = true;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  comeBack(): void {
    this.isDown = false;
  }

  /** Refuses connections from now on. */
  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server?.close(resolve) ?? resolve(undefined));
    this.server = undefined;
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
