import type { Redis } from 'ioredis';
import { ENTRY_FIELD, EVENT_STREAM, WRITE_CHECK_KEY } from './stream-keys.js';

const WRITE_CHECK_LIFE_MS = 1_000;

/**
 * Appends one packed entry to the stream; resolves when Redis has stored it. Never trims, because unread entries must
 * stay.
 */
export async function appendEntry(redis: Redis, entry: Buffer): Promise<void> {
  await redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, entry);
}

/** @throws the error of Redis when it refuses writes, even if it still serves reads */
export async function checkWritable(redis: Redis): Promise<void> {
  await redis.set(WRITE_CHECK_KEY, '1', 'PX', WRITE_CHECK_LIFE_MS);
}
