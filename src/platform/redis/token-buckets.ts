import { monotonicClock, type Clock } from '../clock/clock.js';
import { withDeadline } from '../clock/with-deadline.js';
import { BoundedMap } from '../memory/bounded-map.js';
import type { RedisConnection } from './connect.js';

/** The Redis key of a bucket, or a pattern of keys. */
export function bucketKey(bucket: string): string {
  return `{mailbeacon}:rate:${bucket}`;
}

/** The result of taking a token from a bucket. */
export interface TakenToken {
  readonly taken: boolean;
  /** Whole tokens left. */
  readonly remaining: number;
  /** Milliseconds until one more token is available. */
  readonly nextTokenInMs: number;
  /** Milliseconds until the bucket is full again. */
  readonly fullInMs: number;
}

/**
 * Stores a bucket as one number, the time at which it will be full (the generic cell rate algorithm, ITU-T I.371).
 * The key expires when the bucket is full. Uses the Redis clock, which every process shares. A time further away than
 * the window was set by a server whose clock was ahead: such a bucket is empty now. KEYS[1] the bucket, ARGV[1]
 * milliseconds until an empty bucket is full, ARGV[2] milliseconds per token, ARGV[3] milliseconds until it is full at
 * the earliest, as far as the caller knows.
 */
const TAKE_TOKEN = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + clock[2] / 1000
local window, perToken = tonumber(ARGV[1]), tonumber(ARGV[2])
local stored = tonumber(redis.call('GET', KEYS[1]) or 0)
local fullAt = math.max(math.min(stored, now + window), now + tonumber(ARGV[3]))
local taken = 0
if fullAt + perToken - now <= window then
  taken = 1
  fullAt = fullAt + perToken
end
if fullAt > now and fullAt ~= stored then
  redis.call('SET', KEYS[1], string.format('%.3f', fullAt), 'PX', math.ceil(fullAt - now))
end
return { taken, string.format('%.3f', fullAt - now) }
`;

/** KEYS[1] the bucket, ARGV[1] milliseconds per token. */
const GIVE_BACK = `
local fullAt, ttl = tonumber(redis.call('GET', KEYS[1]) or 0), redis.call('PTTL', KEYS[1])
local left = ttl - tonumber(ARGV[1])
if left > 0 then redis.call('SET', KEYS[1], string.format('%.3f', fullAt - tonumber(ARGV[1])), 'PX', math.ceil(left))
else redis.call('DEL', KEYS[1]) end
`;

/** Maximum wait for Redis. */
const DEADLINE_MS = 200;
/** Maximum number of buckets that this process remembers. */
const MAX_REMEMBERED = 10_000;
/** After a failure, buckets skip Redis for this long, so that a hung Redis delays few requests. */
const COOLDOWN_MS = 1_000;

type BucketConnection = RedisConnection & {
  takeToken(
    bucket: string,
    windowMs: number,
    perTokenMs: number,
    fullInMs: number,
  ): Promise<[taken: number, fullInMs: string]>;
  giveBackToken(bucket: string, perTokenMs: number): Promise<unknown>;
};

/** The state of a bucket as this process knows it. */
interface Remembered {
  /** When the bucket will be full, on the monotonic clock of this process. */
  readonly fullAt: number;
  /** True if tokens were taken that Redis may not know of. */
  readonly alone: boolean;
}

/**
 * Token buckets that all processes share. Each token costs one round trip. While Redis fails or does not respond in
 * time, this process keeps counting alone from its last state, and updates Redis afterwards: a slow Redis neither stops
 * requests nor lifts limits.
 */
export class TokenBuckets {
  private readonly redis: BucketConnection;
  private readonly remembered = new BoundedMap<string, Remembered>(MAX_REMEMBERED);
  private skipUntil = 0;

  /** @param clock not the system clock: one that is set back would keep limits from being shared for as long */
  constructor(
    redis: RedisConnection,
    private readonly clock: Clock = monotonicClock,
  ) {
    redis.defineCommand('takeToken', { numberOfKeys: 1, lua: TAKE_TOKEN });
    redis.defineCommand('giveBackToken', { numberOfKeys: 1, lua: GIVE_BACK });
    this.redis = redis as BucketConnection;
  }

  /** Takes a token from a bucket that holds `capacity` tokens and refills within `windowMs`. Never throws. */
  async take(bucket: string, capacity: number, windowMs: number): Promise<TakenToken> {
    const perTokenMs = windowMs / capacity;
    const response = await this.takeFromRedis(bucket, windowMs, perTokenMs);
    const { taken, fullInMs } = response ?? this.takeAlone(bucket, windowMs, perTokenMs);
    const remaining = Math.floor((windowMs - fullInMs) / perTokenMs + 1e-6);
    return { taken, remaining, fullInMs, nextTokenInMs: fullInMs - windowMs + (remaining + 1) * perTokenMs };
  }

  /** Puts a token that `take` has taken back into its bucket. Does not wait for Redis, and never throws. */
  giveBack(bucket: string, capacity: number, windowMs: number): void {
    const known = this.remembered.get(bucket);
    if (known) this.remembered.set(bucket, { ...known, fullAt: known.fullAt - windowMs / capacity });
    if (this.clock.now() < this.skipUntil) return;
    this.redis.giveBackToken(bucketKey(bucket), windowMs / capacity).catch(() => undefined);
  }

  /** @returns undefined when Redis fails or does not respond in time */
  private async takeFromRedis(bucket: string, windowMs: number, perTokenMs: number) {
    if (this.clock.now() < this.skipUntil) return undefined;
    const startedAt = performance.now();
    const known = this.remembered.get(bucket);
    const fullInMs = known?.alone ? Math.min(Math.max(known.fullAt - startedAt, 0), windowMs) : 0;
    const request = this.redis.takeToken(bucketKey(bucket), windowMs, perTokenMs, fullInMs);
    const response = await withDeadline(DEADLINE_MS, request).catch(() => undefined);
    if (!response) {
      this.skipUntil = this.clock.now() + COOLDOWN_MS;
      return undefined;
    }
    this.remembered.set(bucket, { fullAt: startedAt + Number(response[1]), alone: false });
    return { taken: response[0] === 1, fullInMs: Number(response[1]) };
  }

  private takeAlone(bucket: string, windowMs: number, perTokenMs: number) {
    const now = performance.now();
    const fullInMs = Math.max((this.remembered.get(bucket)?.fullAt ?? 0) - now, 0);
    if (fullInMs + perTokenMs > windowMs) return { taken: false, fullInMs };
    this.remembered.set(bucket, { fullAt: now + fullInMs + perTokenMs, alone: true });
    return { taken: true, fullInMs: fullInMs + perTokenMs };
  }
}
