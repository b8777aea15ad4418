export const BROADCAST_STATUSES = ['draft', 'scheduled', 'sending', 'paused', 'sent', 'canceled'] as const;

export type BroadcastStatus = (typeof BROADCAST_STATUSES)[number];

/** Of broadcasts that were sent and have not ended. */
export const ACTIVE_STATUSES = ['scheduled', 'sending', 'paused'] as const satisfies readonly BroadcastStatus[];
