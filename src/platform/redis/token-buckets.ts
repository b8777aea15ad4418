import type { Clock } from '../clock/clock.js';
import type { RedisConnection } from './connect.js';

/** What a bucket says to one who asks for a token. */
export interface TakenToken {
  readonly taken: boolean;
  /** Whole tokens left. */
  readonly remaining: number;
  /** Until there is one token more. */
  readonly nextTokenInMs: number;
  /** Until the bucket is full again. */
  readonly fullInMs: number;
}

/**
 * A bucket as one number, the time at which it will be full (the generic cell rate algorithm, ITU-T I.371).
 * It forgets itself when it is full. Time is that of Redis: every process shares it.
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

/** Longest wait for Redis; then the question stays open. */
const DEADLINE_MS = 200;
/** After no answer nobody asks for so long, so that a Redis that hangs holds up few requests. */
const SILENCE_MS = 1_000;

type BucketConnection = RedisConnection & {
  takeToken(bucket: string, windowMs: number, perTokenMs: number): Promise<[taken: number, fullInMs: string]>;
};

/** Token buckets that all processes share, at the cost of one round trip per token. */
export class TokenBuckets {
  private readonly redis: BucketConnection;
  private silentUntil = 0;

  constructor(
    redis: RedisConnection,
    private readonly clock: Clock,
  ) {
    redis.defineCommand('takeToken', { numberOfKeys: 1, lua: TAKE_TOKEN });
    this.redis = redis as BucketConnection;
  }

  /**
   * Takes a token from a bucket that holds `capacity` and fills up within `windowMs`.
   * Undefined when Redis does not say in time: the caller decides what that means. Never throws.
   */
  async take(bucket: string, capacity: number, windowMs: number): Promise<TakenToken | undefined> {
    if (this.clock.now() < this.silentUntil) return undefined;
    const perTokenMs = windowMs / capacity;
    const answer = await this.ask(bucket, windowMs, perTokenMs);
    if (!answer) {
      this.silentUntil = this.clock.now() + SILENCE_MS;
      return undefined;
    }
    const fullInMs = Number(answer[1]);
    const remaining = Math.floor((windowMs - fullInMs) / perTokenMs + 1e-6);
    return {
      taken: answer[0] === 1,
      remaining,
      fullInMs,
      nextTokenInMs: fullInMs - windowMs + (remaining + 1) * perTokenMs,
    };
  }

  private async ask(bucket: string, windowMs: number, perTokenMs: number): Promise<[number, string] | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      // An answer that is there already is read first: a process that was busy must not blame Redis.
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
