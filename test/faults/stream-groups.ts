import { EVENT_STREAM } from '../../src/events/stream/stream-keys.js';
import type { Testbed } from './testbed/testbed.js';

/** A consumer group of the stream of events. */
export interface StreamGroup {
  readonly lastDelivered: string;
  /** Entries that its members have read and not acknowledged. */
  readonly pending: number;
  /** Entries that none of them has read. */
  readonly unread: number;
}

/** Undefined if the group does not exist. */
export function readGroup(testbed: Testbed, name: string): Promise<StreamGroup | undefined> {
  return testbed.withRedis(async (redis) => {
    const groups = namedFields(await redis.xinfo('GROUPS', EVENT_STREAM).catch(() => []));
    const group = groups.find((each) => each['name'] === name);
    if (!group) return undefined;
    const [pending, unread] = [Number(group['pending']), Number(group['lag'])];
    return { lastDelivered: String(group['last-delivered-id']), pending, unread };
  });
}

/** Redis responds with lists of alternating names and values. */
export function namedFields(reply: unknown): Record<string, unknown>[] {
  return (reply as unknown[][]).map((fields) =>
    Object.fromEntries(fields.flatMap((name, at) => (at % 2 === 0 ? [[String(name), fields[at + 1]]] : []))),
  );
}
