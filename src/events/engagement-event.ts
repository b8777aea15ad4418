import type { MachineClass, VerdictCode } from './verdict.js';

/** The events that are stored as rows. */
export const EVENT_TYPES = ['sent', 'opened', 'clicked'] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/**
 * An event of an accepted email, as it passes through the Redis stream.
 * `id` is a UUIDv7 created at the source; its leading 48 bits are the time of the event (RFC 9562). The same event
 * therefore always belongs to the same monthly partition and is stored once.
 */
export type EngagementEvent =
  | { readonly type: 'sent'; readonly id: string; readonly emailTrackingId: string }
  | {
      readonly type: 'opened';
      readonly id: string;
      readonly emailTrackingId: string;
      /** Absent when there is no sign of a machine. */
      readonly verdict?: VerdictCode;
    }
  | {
      readonly type: 'clicked';
      readonly id: string;
      readonly emailTrackingId: string;
      /** 0 for the first tracked link of the email. */
      readonly linkPosition: number;
      readonly url: string;
      /** Absent when there is no sign of a machine. */
      readonly verdict?: VerdictCode;
    }
  | EventSum;

/** The longest time between the first and the last hit of a sum. If an edge is killed, so much of its sums is lost. */
export const SUM_INTERVAL_MS = 1_000;

/** Opens and clicks of one email that arrive too fast to be stored one by one, so they are counted together. */
export interface EventSum {
  readonly type: 'summed';
  /** A UUIDv7 at the time of the first event. */
  readonly id: string;
  readonly emailTrackingId: string;
  readonly opens: number;
  /** One entry per link. */
  readonly clicks: readonly { readonly linkPosition: number; readonly clicks: number }[];
  /** How many of these hits machines caused, by class and link; opens have no link position. */
  readonly machines?: readonly MachineHits[];
}

export interface MachineHits {
  readonly class: MachineClass;
  readonly linkPosition?: number;
  readonly hits: number;
}

/** An event that is stored as a row. */
export type SingleEvent = Exclude<EngagementEvent, EventSum>;
