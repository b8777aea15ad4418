import type { Database } from '../../platform/database/database.js';
import type { EventConsumer } from '../stream/event-consumer.js';
import type { TrailingGroup } from '../stream/trailing-group.js';
import { recordHours } from './store-gaps.js';

/** The group of the store, and where the hours that it skips are recorded. */
interface SkippingGroup {
  readonly database: Database;
  readonly group: TrailingGroup;
  readonly consumer: EventConsumer;
}

/** When entries are skipped: if both are exceeded. */
interface SkipLimits {
  /** The memory of the stream. */
  readonly streamBytes: number;
  /** How far the group is behind the flushers. If they are as late, the stream is long because of Postgres. */
  readonly lagMs: number;
}

/**
 * Skips the entries whose events Postgres has. Their hours are recorded first: a crash in between copies
 * them once more.
 * @returns how many hours are to be copied; undefined if nothing was skipped
 */
export async function skipStored(
  { database, group, consumer }: SkippingGroup,
  { streamBytes, lagMs }: SkipLimits,
): Promise<number | undefined> {
  if (!(await group.exists()) || (await group.bytes()) <= streamBytes) return undefined;
  const last = await group.flushedUntil();
  if (last === undefined || (await group.spanUntil(last)) < lagMs) return undefined;
  const hours = await group.hoursUntil(last);
  await recordHours(database, hours);
  await group.skipTo(last);
  await consumer.acknowledge([last]);
  return hours.size;
}
