import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { ENTRY_FIELD, EVENT_STREAM, FLUSHER_GROUP } from './stream-keys.js';
import { ACKNOWLEDGE_AND_TRIM, LEAVE_GROUP, REMOVE_IDLE_CONSUMERS } from './consumer-scripts.js';

const CONNECT_TIMEOUT_MS = 2_000;
const CLAIM_PAGE = 1_000;

export interface StreamEntry {
  readonly id: string;
  /** What the appender packed; undefined when the entry has no such field. */
  readonly packed: Buffer | undefined;
  /** What was packed, or else all there is in the entry; undefined when it was deleted before it was acknowledged. */
  readonly raw: Buffer | undefined;
  /** How often the entry was handed out, as far as known: 1 for a new one. */
  readonly deliveries: number;
}

export interface StreamBacklog {
  readonly entries: number;
  /** Age of the oldest entry, to the second; 0 when there is none. */
  readonly oldestMs: number;
}

type RawEntry = [id: Buffer, fields: Buffer[] | null];

/** A blocking read that has brought no answer by then is stuck on a dead connection. */
const READ_TIMEOUT_MS = 10_000;

/**
 * One member of the flushers' consumer group. What it reads is its own until it is acknowledged, or until
 * somebody claims it because this member has been silent for long.
 */
export class EventConsumer {
  /**
   * For reads that block, of this consumer alone. It fails as fast as the other: a read that were sent again by
   * itself after a reconnection could fetch entries for a caller who has given up.
   */
  private readonly reads: Redis;
  /** What the server calls the connection for reads, as long as that lasts. */
  private readsId: number | undefined;

  /**
   * @param commands connection for short commands, which fails fast
   * @param name unique among all processes
   */
  constructor(
    private readonly commands: Redis,
    readonly name: string,
  ) {
    this.reads = commands.duplicate({ commandTimeout: READ_TIMEOUT_MS });
    // Every failing command says so itself.
    this.reads.on('error', () => undefined);
    this.reads.on('ready', () => void this.learnReadsId());
  }

  /** Makes the group, at the stream's very beginning: after a flush of Redis, events may be there already. */
  async join(): Promise<void> {
    await Promise.all([untilReady(this.commands), untilReady(this.reads)]);
    try {
      await this.commands.xgroup('CREATE', EVENT_STREAM, FLUSHER_GROUP, '0', 'MKSTREAM');
    } catch (error) {
      if (!String(error).includes('BUSYGROUP')) throw error;
    }
  }

  /** Entries that nobody has read yet; waits for the first one, at most `blockMs` (below 10,000), if that is given. */
  async readNew(count: number, blockMs?: number): Promise<StreamEntry[]> {
    const options = ['COUNT', count, ...(blockMs === undefined ? [] : ['BLOCK', blockMs])] as const;
    try {
      return entriesOf(await this.reads.callBuffer('XREADGROUP', ...this.group, ...options, ...this.from('>')));
    } catch (error) {
      // The server must forget a read whose answer nobody waits for any more.
      if (this.reads.status === 'ready' && String(error).includes('timed out')) this.reads.disconnect(true);
      throw error;
    }
  }

  /**
   * Ends a wait of `readNew` as if its time were over. The server decides whether an entry came first, so that none
   * is handed to somebody who has hung up.
   */
  async interrupt(): Promise<void> {
    if (this.readsId !== undefined) await this.commands.client('UNBLOCK', this.readsId);
  }

  /** Entries after `afterId` that this consumer has read but not acknowledged; counts as one more delivery. */
  async readOwn(count: number, afterId: string): Promise<StreamEntry[]> {
    const reply = await this.commands.callBuffer('XREADGROUP', ...this.group, 'COUNT', count, ...this.from(afterId));
    return this.withDeliveries(entriesOf(reply));
  }

  /**
   * Makes entries whose consumer has been silent for `minIdleMs` this consumer's own, all of them; `readOwn` gives
   * them out.
   * @returns how many there were
   */
  async claimStale(minIdleMs: number): Promise<number> {
    let claimed = 0;
    let cursor = '0-0';
    do {
      const range = [minIdleMs, cursor, 'COUNT', CLAIM_PAGE, 'JUSTID'] as const;
      const [next, ids] = (await this.commands.xautoclaim(EVENT_STREAM, FLUSHER_GROUP, this.name, ...range)) as [
        string,
        string[],
      ];
      claimed += ids.length;
      cursor = next;
    } while (cursor !== '0-0');
    return claimed;
  }

  /** Acknowledges, and trims what all groups have acknowledged from the stream's beginning on. */
  async acknowledge(ids: readonly string[]): Promise<void> {
    await this.commands.eval(ACKNOWLEDGE_AND_TRIM, 1, EVENT_STREAM, FLUSHER_GROUP, ...ids);
  }

  /** Removes members that have been silent for `minIdleMs` and hold nothing. */
  async removeIdleConsumers(minIdleMs: number): Promise<void> {
    await this.commands.eval(REMOVE_IDLE_CONSUMERS, 1, EVENT_STREAM, FLUSHER_GROUP, minIdleMs);
  }

  /** Leaves the group, unless entries are still to be acknowledged: somebody will claim those. */
  async leave(): Promise<void> {
    await this.commands.eval(LEAVE_GROUP, 1, EVENT_STREAM, FLUSHER_GROUP, this.name);
  }

  /** What is in the stream by the clock of Redis: acknowledged entries are trimmed from its beginning on. */
  async backlog(): Promise<StreamBacklog> {
    const [entries, [oldest], [seconds]] = await Promise.all([
      this.commands.xlen(EVENT_STREAM),
      this.commands.xrange(EVENT_STREAM, '-', '+', 'COUNT', 1),
      this.commands.time(),
    ]);
    const addedAt = Number(oldest?.[0].split('-')[0] ?? Infinity);
    return { entries, oldestMs: Math.max(0, Number(seconds) * 1000 - addedAt) };
  }

  close(): void {
    this.reads.disconnect();
  }

  private async learnReadsId(): Promise<void> {
    this.readsId = await this.reads.client('ID').catch(() => undefined);
  }

  private get group() {
    return ['GROUP', FLUSHER_GROUP, this.name] as const;
  }

  private from(id: string) {
    return ['STREAMS', EVENT_STREAM, id] as const;
  }

  private async withDeliveries(entries: StreamEntry[]): Promise<StreamEntry[]> {
    const [first, last] = [entries[0], entries.at(-1)];
    if (!first || !last) return [];
    const range = [first.id, last.id, entries.length, this.name] as const;
    const pending = (await this.commands.xpending(EVENT_STREAM, FLUSHER_GROUP, ...range)) as [
      string,
      string,
      number,
      number,
    ][];
    const deliveries = new Map(pending.map(([id, , , count]) => [id, count]));
    return entries.map((entry) => ({ ...entry, deliveries: deliveries.get(entry.id) ?? 1 }));
  }
}

/** @throws what keeps the connection from getting ready, or that it takes long */
async function untilReady(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') await once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
}

/** The reply of XREADGROUP for one stream, or null when the wait ended without an entry. */
function entriesOf(reply: unknown): StreamEntry[] {
  const streams = (reply ?? []) as [key: Buffer, entries: RawEntry[]][];
  return streams.flatMap(([, entries]) => entries.map(toEntry));
}

function toEntry([id, fields]: RawEntry): StreamEntry {
  const at = fields?.findIndex((field, index) => index % 2 === 0 && field.toString('latin1') === ENTRY_FIELD) ?? -1;
  const packed = at === -1 ? undefined : fields![at + 1];
  return { id: id.toString(), packed, raw: packed ?? (fields ? Buffer.concat(fields) : undefined), deliveries: 1 };
}
