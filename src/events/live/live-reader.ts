import type { EventStream } from '../../platform/http/event-stream.js';
import type { LiveEntry, LiveSnapshot } from './live-store.js';

/** Beyond this, a client that reconnects rereads its lists. */
const MAX_REPLAYED = 1_000;
const MAX_ARRIVED = 100;

/**
 * One open connection. It shows each entry once and in order: entries come from the channel at once, and from the
 * stream after a gap.
 */
export class LiveReader {
  private state: 'paused' | 'joining' | 'live' = 'paused';
  private said: 'ready' | 'paused' | undefined;
  /** Entries from the channel while the stream is read. */
  private arrived: LiveEntry[] = [];
  private hasLostSome = false;
  /** How many there were. One that ends after the next has begun changes nothing. */
  private joins = 0;

  /** @param lastId the last entry that its client has */
  constructor(
    readonly organizationId: string,
    private readonly output: EventStream,
    public lastId: string | undefined,
    private readonly drop: () => void,
  ) {}

  get isPaused(): boolean {
    return this.state === 'paused';
  }

  isBehind(lastId: string): boolean {
    return this.state === 'live' && this.lastId !== lastId;
  }

  /**
   * From here on, entries of the channel wait until the stream is read.
   * @returns the number of this join
   */
  join(): number {
    this.state = 'joining';
    this.arrived = [];
    this.hasLostSome = false;
    return ++this.joins;
  }

  /** Redis is down. @param join the number of the join that failed */
  pause(join = this.joins): void {
    if (join !== this.joins) return;
    this.state = 'paused';
    if (this.said !== 'paused') this.say('paused');
  }

  arrive(entry: LiveEntry): void {
    if (this.state === 'live') this.show(entry);
    else if (this.state === 'joining' && this.arrived.length < MAX_ARRIVED) this.arrived.push(entry);
    else this.hasLostSome ||= this.state === 'joining';
  }

  /** @param join the number of the join that has read the snapshot */
  catchUp(join: number, { lastId, entries }: LiveSnapshot): void {
    if (join !== this.joins || this.state === 'paused') return;
    const isNew = this.lastId === undefined;
    if (entries && countMessages(entries) <= MAX_REPLAYED) {
      for (const entry of entries) this.show(entry);
    } else if (isNew || this.lastId !== lastId) {
      this.lastId = lastId;
      if (!isNew) this.say('refresh');
    }
    this.state = 'live';
    if (this.said !== 'ready') this.say('ready');
    for (const entry of this.arrived) this.show(entry);
    this.arrived = [];
    if (this.hasLostSome) this.say('refresh');
  }

  private show({ id, messages }: LiveEntry): void {
    if (this.lastId !== undefined && !isLater(id, this.lastId)) return;
    this.lastId = id;
    messages.forEach((data, index) => {
      const isControl = data.type === 'refresh';
      // Only the last message of an entry has its ID: a client that loses the connection in between gets the whole
      // entry again.
      const isLast = index === messages.length - 1;
      this.send({ ...(isControl && { event: data.type }), ...(isLast && { id }), data });
    });
  }

  private say(event: 'ready' | 'paused' | 'refresh'): void {
    if (event !== 'refresh') this.said = event;
    this.send({ event, id: this.lastId, data: { type: event, at: new Date().toISOString() } });
  }

  private send(event: Parameters<EventStream['send']>[0]): void {
    if (!this.output.send(event)) this.drop();
  }
}

function countMessages(entries: readonly LiveEntry[]): number {
  return entries.reduce((sum, { messages }) => sum + messages.length, 0);
}

function isLater(id: string, than: string): boolean {
  const [time = 0, sequence = 0] = id.split('-').map(Number);
  const [otherTime = 0, otherSequence = 0] = than.split('-').map(Number);
  return time > otherTime || (time === otherTime && sequence > otherSequence);
}
