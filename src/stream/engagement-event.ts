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
    };

export type EngagementEventType = EngagementEvent['type'];
