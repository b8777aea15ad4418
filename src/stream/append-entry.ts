import type { Redis } from 'ioredis';
import { ENTRY_FIELD, EVENT_STREAM } from './event-stream.js';

/** Appends one packed entry to the stream; resolves when Redis has it. Never trims: unread entries must stay. */
export async function appendEntry(redis: Redis, entry: Buffer): Promise<void> {
  await redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, entry);
}
