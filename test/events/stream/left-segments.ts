import { randomUUID } from 'node:crypto';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { encodeSegmentRecord } from '../../../src/events/stream/spool-segment.js';
import { EVENT_STREAM } from '../../../src/events/stream/stream-keys.js';

/** Writes a segment that its process left long ago. */
export async function leaveSegmentIn(
  directory: string,
  payloads: readonly string[],
  damage: (bytes: Buffer) => Buffer = (bytes) => bytes,
): Promise<string> {
  const path = join(directory, `${randomUUID()}-00000000.spool`);
  const records = payloads.map((payload) => encodeSegmentRecord(Buffer.from(payload)));
  await writeFile(path, damage(Buffer.concat(records)), { mode: 0o600 });
  const longAgo = new Date(Date.now() - 3_600_000);
  await utimes(path, longAgo, longAgo);
  return path;
}

/** The entries of the stream, oldest first. */
export async function streamedEntries(redis: Redis): Promise<string[]> {
  return (await redis.xrange(EVENT_STREAM, '-', '+')).map(([, fields]) => fields[1]!);
}

/** What the names of the files in a spool folder end with. */
export async function endingsIn(directory: string): Promise<(string | undefined)[]> {
  return (await readdir(directory)).map((name) => name.split('.').at(-1));
}
