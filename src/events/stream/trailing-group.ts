import type { Redis } from 'ioredis';
import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import { decodeEntry } from './codec/event-codec.js';
import { DONE_UNTIL, SKIP_TO } from './consumer-scripts.js';
import { streamBytes } from './stream-bytes.js';
import { EVENT_STREAM, FLUSHER_GROUP, packedEventsOf, STORE_GROUP } from './stream-keys.js';

const PAGE = 200;
const HOUR_MS = 3_600_000;

/** The group of the event store, which may fall behind the flushers but must not fill Redis. */
export class TrailingGroup {
  constructor(private readonly redis: Redis) {}

  async exists(): Promise<boolean> {
    if ((await this.redis.exists(EVENT_STREAM)) === 0) return false;
    const groups = (await this.redis.xinfo('GROUPS', EVENT_STREAM)) as string[][];
    return groups.some((group) => group[1] === STORE_GROUP);
  }

  /** True if a member has read the stream within this time. */
  async hasReaders(withinMs: number): Promise<boolean> {
    if (!(await this.exists())) return false;
    const members = (await this.redis.xinfo('CONSUMERS', EVENT_STREAM, STORE_GROUP)) as unknown[][];
    return members.some((fields) => Number(fields[fields.indexOf('idle') + 1]) < withinMs);
  }

  /** The memory of the stream, which all groups share. */
  bytes(): Promise<number> {
    return streamBytes(this.redis);
  }

  /** The last entry that Postgres has together with all before it; undefined when the stream has none of these. */
  async flushedUntil(): Promise<string | undefined> {
    const last = await this.redis.eval(DONE_UNTIL, 1, EVENT_STREAM, FLUSHER_GROUP);
    return typeof last === 'string' ? last : undefined;
  }

  /** Milliseconds between the first entry, which is kept for the group that is furthest behind, and `last`. */
  async spanUntil(last: string): Promise<number> {
    const [first] = await this.redis.xrange(EVENT_STREAM, '-', last, 'COUNT', 1);
    return first ? parseInt(last, 10) - parseInt(first[0], 10) : 0;
  }

  /** The hours of the events in the entries up to `last`, in milliseconds since the Unix epoch. */
  async hoursUntil(last: string): Promise<Set<number>> {
    const hours = new Set<number>();
    for (let from = '-'; ;) {
      const entries = await this.redis.xrangeBuffer(EVENT_STREAM, from, last, 'COUNT', PAGE);
      for (const [, fields] of entries) {
        const packed = packedEventsOf(fields);
        for (const { id } of packed ? decodeEntry(packed).events : []) {
          const time = timeOfUuidV7(id);
          hours.add(time - (time % HOUR_MS));
        }
      }
      if (entries.length < PAGE) return hours;
      from = `(${entries.at(-1)![0].toString()}`;
    }
  }

  /** Counts the entries up to `last` as acknowledged. They stay in the stream until another entry is acknowledged. */
  async skipTo(last: string): Promise<void> {
    await this.redis.eval(SKIP_TO, 1, EVENT_STREAM, STORE_GROUP, last);
  }

  /** Removes the group, so that nothing waits for it. @returns false when there was none */
  async remove(): Promise<boolean> {
    if (!(await this.exists())) return false;
    return (await this.redis.xgroup('DESTROY', EVENT_STREAM, STORE_GROUP)) === 1;
  }
}
