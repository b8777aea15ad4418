/**
 * What happens to an email after it was accepted, as it travels through the Redis stream.
 * `id` is a UUIDv7 minted where the event happened; its 48 leading bits are the time of the event
 * (RFC 9562), so that the same event always lands in the same month's partition and is stored once.
 */
export type EngagementEvent =
  | { readonly type: 'sent' | 'opened'; readonly id: string; readonly emailTrackingId: string }
  | {
      readonly type: 'clicked';
      readonly id: string;
      readonly emailTrackingId: string;
      /** 0 for the first tracked link of the email. */
      readonly linkPosition: number;
      readonly url: string;
    }
  | EventSum;

/** Opens and clicks of one email that came so fast that they are counted together instead of being stored one by one. */
export interface EventSum {
  readonly type: 'summed';
  /** At the time of the first of them. */
  readonly id: string;
  readonly emailTrackingId: string;
  readonly opens: number;
  /** Each link once. */
  readonly clicks: readonly { readonly linkPosition: number; readonly clicks: number }[];
}

/** An event that has a row of its own. */
export type SingleEvent = Exclude<EngagementEvent, EventSum>;
