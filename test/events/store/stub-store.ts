import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface StubRow {
  readonly id: string;
  readonly email: string;
  readonly type: string;
  readonly verdict: number;
  readonly link_position: number;
  readonly opens: number;
  readonly clicks: number;
  readonly machine_opens: number;
  readonly machine_clicks: number;
  readonly revision: number;
}

type Mode = 'responds' | 'refuses' | 'hangs';

/** Implements as much of ClickHouse's HTTP interface as writes need, and can refuse requests or hang. */
export class StubStore {
  mode: Mode = 'responds';
  /** The delay of each response. */
  delayMs = 0;
  /** The row with the greatest revision by ID, like the table of the store. */
  readonly rows = new Map<string, StubRow>();
  /** The most rows of one insert. */
  largestInsert = 0;
  /** Number of requests that were refused or got no response. */
  unserved = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.respond(request, response));
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  static async start(): Promise<StubStore> {
    const stub = new StubStore(createServer());
    await new Promise<void>((resolve) => stub.server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  get url(): string {
    return `http://writer:secret@127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
  }

  /** Rows of an email. */
  of(email: string): StubRow[] {
    return [...this.rows.values()].filter((row) => row.email === email);
  }

  /** Ends all connections. */
  disconnect(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.disconnect();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    if (this.delayMs > 0) await delay(this.delayMs);
    if (this.mode !== 'responds') this.unserved++;
    if (this.mode === 'hangs') return;
    if (this.mode === 'refuses') {
      response.writeHead(500, { 'X-ClickHouse-Exception-Code': '241' }).end('Code: 241. Memory limit exceeded');
      return;
    }
    const query = new URL(request.url!, 'http://stub').searchParams.get('query') ?? body;
    if (/^\s*insert into/i.test(query)) this.insert(query, body);
    else if (/^\s*delete from/i.test(query)) this.remove(query);
    response.end();
  }

  /** Reads TabSeparated lines; no text of these tests needs an escape. */
  private insert(query: string, body: string): void {
    const columns = /\(([^)]*)\)\s*format TabSeparated/i
      .exec(query)![1]!
      .split(',')
      .map((name) => name.trim());
    const lines = body.split('\n').filter(Boolean);
    this.largestInsert = Math.max(this.largestInsert, lines.length);
    for (const line of lines) {
      const cells = line.split('\t').map((cell) => (/^-?\d+$/.test(cell) ? Number(cell) : cell));
      const row = Object.fromEntries(columns.map((name, at) => [name, cells[at]])) as unknown as StubRow;
      if ((this.rows.get(row.id)?.revision ?? -1) <= row.revision) this.rows.set(row.id, row);
    }
  }

  private remove(query: string): void {
    const emails = new Set([...query.matchAll(/'([^']+)'/g)].map(([, email]) => email));
    for (const { id, email } of this.rows.values()) if (emails.has(email)) this.rows.delete(id);
  }
}
