import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../clock/clock.js';
import { REDIS, type RedisConnection } from './connect.js';

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
 * The key expires when the bucket is full. Uses the Redis clock, which every process shares.
 * KEYS[1] the bucket, ARGV[1] milliseconds until an empty bucket is full, ARGV[2] milliseconds per token.
 */
const TAKE_TOKEN = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + clock[2] / 1000
local window, perToken = tonumber(ARGV[1]), tonumber(ARGV[2])
local fullAt = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
local taken = 0
if fullAt + perToken - now <= window then
  taken = 1
  fullAt = fullAt + perToken
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
/** After a failure, buckets skip Redis for this long, so that a hung Redis delays few requests. */
const COOLDOWN_MS = 1_000;

type BucketConnection = RedisConnection & {
  takeToken(bucket: string, windowMs: number, perTokenMs: number): Promise<[taken: number, fullInMs: string]>;
  giveBackToken(bucket: string, perTokenMs: number): Promise<unknown>;
};

/** Token buckets that all processes share. Each token costs one round trip. */
@Injectable()
export class TokenBuckets {
  private readonly redis: BucketConnection;
  private skipUntil = 0;

  constructor(
    @Inject(REDIS) redis: RedisConnection,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    redis.defineCommand('takeToken', { numberOfKeys: 1, lua: TAKE_TOKEN });
    redis.defineCommand('giveBackToken', { numberOfKeys: 1, lua: GIVE_BACK });
    this.redis = redis as BucketConnection;
  }

  /**
   * Takes a token from a bucket that holds `capacity` tokens and refills within `windowMs`.
   * Returns undefined when Redis fails or does not respond in time; the caller decides. Never throws.
   */
  async take(bucket: string, capacity: number, windowMs: number): Promise<TakenToken | undefined> {
    if (this.clock.now() < this.skipUntil) return undefined;
    const perTokenMs = windowMs / capacity;
    const response = await this.takeInTime(bucket, windowMs, perTokenMs);
    if (!response) {
      this.skipUntil = this.clock.now() + COOLDOWN_MS;
      return undefined;
    }
    const fullInMs = Number(response[1]);
    const remaining = Math.floor((windowMs - fullInMs) / perTokenMs + 1e-6);
    return {
      taken: response[0] === 1,
      remaining,
      fullInMs,
      nextTokenInMs: fullInMs - windowMs + (remaining + 1) * perTokenMs,
    };
  }

  /** Puts a token that `take` has taken back into its bucket. Does not wait for Redis, and never throws. */
  giveBack(bucket: string, capacity: number, windowMs: number): void {
    if (this.clock.now() < this.skipUntil) return;
    this.redis.giveBackToken(bucket, windowMs / capacity).catch(() => undefined);
  }

  private async takeInTime(
    bucket: string,
    windowMs: number,
    perTokenMs: number,
  ): Promise<[number, string] | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      // Read a response that has already arrived first: a busy process must not report a timeout of Redis.
      timer = setTimeout(() => setImmediate(resolve, undefined), DEADLINE_MS);
    });
    try {
      return await Promise.race([this.redis.takeToken(bucket, windowMs, perTokenMs), late]);
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}
