import { Inject, Injectable } from '@nestjs/common';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';
import type { LiveMessage, LiveRefresh } from './live-message.js';

/** Messages that were published together. */
export interface LiveEntry {
  /** In the stream of the organization: `milliseconds-sequence`. */
  readonly id: string;
  readonly messages: readonly (LiveMessage | LiveRefresh)[];
}

export interface LiveSnapshot {
  /** ID of the newest entry. */
  readonly lastId: string;
  /** The entries after the requested one; undefined when that one no longer exists, so that some may be missing. */
  readonly entries: readonly LiveEntry[] | undefined;
}

/** How long messages are kept for an organization without listeners, so that clients can reconnect. */
const LISTENED_SECONDS = 60;
const STREAM_SECONDS = 120;
const MAX_ENTRIES = 200;

const ENTRY_ID = /^\d{1,16}-\d{1,16}$/;

/**
 * Marks the organization as listened to, and reads its stream. A mark that had expired means that messages went
 * unpublished: the stream starts over, without any earlier ID.
 * KEYS mark, stream; ARGV seconds of each, ID of the entry that the reader has or nothing.
 */
const OPEN = `
if redis.call('SET', KEYS[1], '1', 'NX', 'EX', ARGV[1]) then redis.call('DEL', KEYS[2])
else redis.call('EXPIRE', KEYS[1], ARGV[1]) end
local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
local lastId = last[1] and last[1][1] or redis.call('XADD', KEYS[2], '*', 'm', '[]')
redis.call('EXPIRE', KEYS[2], ARGV[2])
if ARGV[3] == '' then return { lastId } end
local later = redis.call('XRANGE', KEYS[2], ARGV[3], '+')
if not later[1] or later[1][1] ~= ARGV[3] then return { lastId } end
return { lastId, later }`;

/** KEYS stream, which is also the channel; ARGV seconds, entries, messages. */
const APPEND = `
local id = redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[2], '*', 'm', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[1])
redis.call('PUBLISH', KEYS[1], id .. ' ' .. ARGV[3])`;

type RawEntry = [id: string, fields: [name: 'm', messages: string]];

type LiveConnection = RedisConnection & {
  openLive(
    mark: string,
    stream: string,
    markSeconds: number,
    streamSeconds: number,
    after: string,
  ): Promise<[lastId: string, later?: RawEntry[]]>;
  appendLive(stream: string, seconds: number, entries: number, messages: string): Promise<unknown>;
};

/** The key that exists while a client listens to an organization. */
export const listenerMarkOf = (organizationId: string): string => `{mailbeacon}:live-mark:${organizationId}`;

/** The channel on which entries of an organization arrive, as `readEntry` reads them, and the key of its stream. */
export const channelOf = (organizationId: string): string => `{mailbeacon}:live:${organizationId}`;

/** Live messages in Redis: a short stream per organization, published as it grows, and only while a client listens. */
@Injectable()
export class LiveStore {
  private readonly redis: LiveConnection;

  constructor(@Inject(REDIS) redis: RedisConnection) {
    redis.defineCommand('openLive', { numberOfKeys: 2, lua: OPEN });
    redis.defineCommand('appendLive', { numberOfKeys: 1, lua: APPEND });
    this.redis = redis as LiveConnection;
  }

  /** Which of the organizations have listeners, in one command. */
  async listened(organizationIds: readonly string[]): Promise<readonly string[]> {
    const marks = await this.redis.mget(organizationIds.map(listenerMarkOf));
    return organizationIds.filter((_, index) => marks[index] !== null);
  }

  async append(organizationId: string, messages: LiveEntry['messages']): Promise<void> {
    await this.redis.appendLive(channelOf(organizationId), STREAM_SECONDS, MAX_ENTRIES, JSON.stringify(messages));
  }

  /** Marks the organization as listened to. @param after the last entry that the reader has */
  async open(organizationId: string, after: string | undefined): Promise<LiveSnapshot> {
    const from = after !== undefined && ENTRY_ID.test(after) ? after : '';
    const keys = [listenerMarkOf(organizationId), channelOf(organizationId)] as const;
    const [lastId, later] = await this.redis.openLive(...keys, LISTENED_SECONDS, STREAM_SECONDS, from);
    return { lastId, entries: later?.slice(1).map(([id, [, messages]]) => ({ id, messages: readMessages(messages) })) };
  }
}

/** Undefined for data that another program wrote. */
export function readEntry(text: string): LiveEntry | undefined {
  const space = text.indexOf(' ');
  const id = text.slice(0, space);
  return ENTRY_ID.test(id) ? { id, messages: readMessages(text.slice(space + 1)) } : undefined;
}

function readMessages(json: string): LiveEntry['messages'] {
  try {
    const messages: unknown = JSON.parse(json);
    return Array.isArray(messages) ? (messages as LiveEntry['messages']) : [];
  } catch {
    return [];
  }
}
