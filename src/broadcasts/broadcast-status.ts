export const BROADCAST_STATUSES = ['draft', 'scheduled', 'sending', 'paused', 'sent', 'canceled'] as const;

export type BroadcastStatus = (typeof BROADCAST_STATUSES)[number];
