import { request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { eventually } from './eventually.js';
import type { TestService } from './service.js';

export interface LiveEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: { readonly type: string; readonly emailId?: string; readonly [field: string]: unknown };
}

/** An open connection to GET /api/live, and the events received on it. */
export class LiveEvents {
  readonly events: LiveEvent[] = [];
  hasEnded = false;
  private text = '';

  private constructor(
    readonly response: IncomingMessage,
    private readonly cut: () => void,
  ) {
    response.setEncoding('utf8');
    response.on('data', (piece: string) => this.read(piece));
    response.on('close', () => (this.hasEnded = true));
    response.on('error', () => undefined);
  }

  static async open(service: TestService, headers: Record<string, string>): Promise<LiveEvents> {
    const sent = request(`${service.address}/api/live`, { headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return new LiveEvents(response, () => sent.destroy());
  }

  /** Resolves once the connection is open and ready. */
  static async follow(service: TestService, apiKey: string, lastEventId?: string): Promise<LiveEvents> {
    const live = await LiveEvents.open(service, {
      'x-api-key': apiKey,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    });
    await live.find('ready');
    return live;
  }

  get status(): number {
    return this.response.statusCode!;
  }

  get lastId(): string | undefined {
    return this.events.findLast(({ id }) => id !== undefined)?.id;
  }

  get types(): string[] {
    return this.events.map(({ data }) => data.type);
  }

  count(type: string): number {
    return this.types.filter((one) => one === type).length;
  }

  find(type: string, emailId?: string, limitMs?: number): Promise<LiveEvent> {
    return eventually(
      () => this.events.find(({ data }) => data.type === type && (emailId === undefined || data.emailId === emailId)),
      limitMs,
    );
  }

  close(): void {
    this.cut();
  }

  private read(piece: string): void {
    this.text += piece;
    const blocks = this.text.split('\n\n');
    this.text = blocks.pop()!;
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      const data = fields.get('data');
      if (data === undefined) continue;
      const event = fields.get('event') ?? 'message';
      this.events.push({ event, id: fields.get('id'), data: JSON.parse(data) as LiveEvent['data'] });
    }
  }
}
