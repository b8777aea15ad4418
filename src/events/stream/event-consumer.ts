import type { Redis } from 'ioredis';
import { sleep } from '../../platform/clock/sleep.js';
import { untilReady } from '../../platform/redis/until-ready.js';
import { EVENT_STREAM, FLUSHER_GROUP } from './stream-keys.js';
import { ACKNOWLEDGE_AND_TRIM, BACKLOG, JOIN_GROUP, LEAVE_GROUP, REMOVE_IDLE_CONSUMERS } from './consumer-scripts.js';
import { entriesOf, type StreamEntry } from './stream-entry.js';

const CLAIM_PAGE = 1_000;
const UNBLOCK_AGAIN_MS = 10;
/** How long `end` waits for the work with entries. Another member claims those that are not acknowledged by then. */
const END_TIMEOUT_MS = 4_000;

export interface StreamBacklog {
  readonly entries: number;
  /** Age of the oldest entry in milliseconds, accurate to a second; 0 when there is none. */
  readonly oldestMs: number;
}

/** True for the error of a command whose group no longer exists, as after a flush of Redis. */
export function isMissingGroup(error: unknown): boolean {
  return /NOGROUP|no such key/i.test(String(error));
}

type PendingEntry = [id: string, consumer: string, idleMs: number, deliveries: number];

/** A blocking read without a response by then is stuck on a dead connection. */
const READ_TIMEOUT_MS = 10_000;
/** A member that has read nothing for this long has ended. */
const IDLE_MS = 600_000;

/**
 * One member of a consumer group, by default that of the flushers. It owns what it reads until it acknowledges it, or
 * until another member claims it after a long idle time.
 */
export class EventConsumer {
  /**
   * A dedicated connection for blocking reads. Commands fail fast: a read that is resent after a reconnection could
   * fetch entries for a caller that has given up.
   */
  private readonly reads: Redis;
  /** The server's ID of the read connection, which changes with each connection. */
  private readsId: number | undefined;
  private isWaiting = false;
  private isEnding = false;
  private readonly closing = new AbortController();

  /**
   * @param commands connection for short commands, which fails fast
   * @param name unique among all processes
   */
  constructor(
    private readonly commands: Redis,
    readonly name: string,
    private readonly groupName: string = FLUSHER_GROUP,
  ) {
    this.reads = commands.duplicate({ commandTimeout: READ_TIMEOUT_MS });
    // Each failing command rejects its own promise.
    this.reads.on('error', () => undefined);
    this.reads.on('ready', () => void this.updateReadsId());
  }

  /**
   * Creates the group if necessary, at the start of the stream: after a flush of Redis, events may already be there.
   */
  async join(): Promise<void> {
    await Promise.all([untilReady(this.commands), untilReady(this.reads)]);
    await this.commands.eval(JOIN_GROUP, 1, EVENT_STREAM, this.groupName);
  }

  /** Reads new entries; if `blockMs` is given (below 10,000), waits that long for the first one until `interrupt`. */
  async readNew(count: number, blockMs?: number): Promise<StreamEntry[]> {
    const waits = blockMs !== undefined && !this.isEnding;
    const options = ['COUNT', count, ...(waits ? ['BLOCK', blockMs] : [])] as const;
    this.isWaiting = waits;
    try {
      return entriesOf(await this.reads.callBuffer('XREADGROUP', ...this.group, ...options, ...this.from('>')));
    } catch (error) {
      // Reconnect, so that the server drops a read whose caller has given up.
      if (this.reads.status === 'ready' && String(error).includes('timed out')) this.reads.disconnect(true);
      throw error;
    } finally {
      this.isWaiting = false;
    }
  }

  /**
   * Ends a wait of `readNew` like its timeout, and prevents further waits. The server decides whether an entry came
   * first, so no entry goes to a closed connection.
   */
  async interrupt(): Promise<void> {
    this.isEnding = true;
    // The server may get this before the read, which uses another connection; a new connection has no known ID yet.
    while (this.isWaiting && !this.closing.signal.aborted) {
      const id = this.readsId;
      if (id !== undefined && (await this.commands.client('UNBLOCK', id)) === 1) return;
      await sleep(UNBLOCK_AGAIN_MS, this.closing.signal);
    }
  }

  /** Entries after `afterId` that this consumer has read but not acknowledged; counts as another delivery. */
  async readOwn(count: number, afterId: string): Promise<StreamEntry[]> {
    const reply = await this.commands.callBuffer('XREADGROUP', ...this.group, 'COUNT', count, ...this.from(afterId));
    return this.withDeliveries(entriesOf(reply));
  }

  /** How often each of the entries that `readOwn` would return was delivered so far. */
  async deliveriesAfter(count: number, afterId: string): Promise<number[]> {
    return (await this.pending(`(${afterId}`, '+', count)).map(([, , , deliveries]) => deliveries);
  }

  /**
   * Claims all entries whose consumer has been idle for `minIdleMs`; `readOwn` then returns them.
   * @returns how many there were
   */
  async claimStale(minIdleMs: number): Promise<number> {
    let claimed = 0;
    let cursor = '0-0';
    do {
      const range = [minIdleMs, cursor, 'COUNT', CLAIM_PAGE, 'JUSTID'] as const;
      const [next, ids] = (await this.commands.xautoclaim(EVENT_STREAM, this.groupName, this.name, ...range)) as [
        string,
        string[],
      ];
      claimed += ids.length;
      cursor = next;
    } while (cursor !== '0-0');
    return claimed;
  }

  /** Restarts the idle time of entries, so that no other member claims them. This counts as no delivery. */
  async keep(ids: readonly string[]): Promise<void> {
    await this.commands.xclaim(EVENT_STREAM, this.groupName, this.name, 0, ...ids, 'JUSTID');
  }

  /** Acknowledges entries, and trims the start of the stream up to what all groups have acknowledged. */
  async acknowledge(ids: readonly string[]): Promise<void> {
    await this.commands.eval(ACKNOWLEDGE_AND_TRIM, 1, EVENT_STREAM, this.groupName, ...ids);
  }

  /** Removes members that have ended and hold no entry. */
  async removeIdleConsumers(minIdleMs = IDLE_MS): Promise<void> {
    await this.commands.eval(REMOVE_IDLE_CONSUMERS, 1, EVENT_STREAM, this.groupName, minIdleMs);
  }

  /** Leaves the group, unless unacknowledged entries remain; another member claims those. */
  async leave(): Promise<void> {
    await this.commands.eval(LEAVE_GROUP, 1, EVENT_STREAM, this.groupName, this.name);
  }

  /** The number and age of entries that the group has not acknowledged, by the Redis clock. */
  async backlog(): Promise<StreamBacklog> {
    const [[entries, oldest], [seconds]] = await Promise.all([
      this.commands.eval(BACKLOG, 1, EVENT_STREAM, this.groupName) as Promise<[number, string | null]>,
      this.commands.time(),
    ]);
    const addedAt = Number(oldest?.split('-')[0] ?? Infinity);
    return { entries, oldestMs: Math.max(0, Number(seconds) * 1000 - addedAt) };
  }

  close(): void {
    this.closing.abort();
    this.reads.disconnect();
  }

  /** Ends the wait for entries, waits for `processing` for some seconds, leaves the group and closes. */
  async end(processing: Promise<void> | undefined): Promise<void> {
    void this.interrupt().catch(() => undefined);
    const timeout = new AbortController();
    await Promise.race([processing, sleep(END_TIMEOUT_MS, timeout.signal)]);
    timeout.abort();
    await this.leave().catch(() => undefined);
    this.close();
  }

  private async updateReadsId(): Promise<void> {
    this.readsId = await this.reads.client('ID').catch(() => undefined);
  }

  private get group() {
    return ['GROUP', this.groupName, this.name] as const;
  }

  private from(id: string) {
    return ['STREAMS', EVENT_STREAM, id] as const;
  }

  private async pending(from: string, to: string, count: number): Promise<PendingEntry[]> {
    const range = [from, to, count, this.name] as const;
    return (await this.commands.xpending(EVENT_STREAM, this.groupName, ...range)) as PendingEntry[];
  }

  private async withDeliveries(entries: StreamEntry[]): Promise<StreamEntry[]> {
    const [first, last] = [entries[0], entries.at(-1)];
    if (!first || !last) return [];
    const pending = await this.pending(first.id, last.id, entries.length);
    const deliveries = new Map(pending.map(([id, , , count]) => [id, count]));
    return entries.map((entry) => ({ ...entry, deliveries: deliveries.get(entry.id) ?? 1 }));
  }
}
