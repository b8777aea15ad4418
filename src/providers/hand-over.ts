/** What a provider did with one recipient. */
export const HAND_OVERS = ['accepted', 'deferred', 'refused'] as const;

export type HandOver = (typeof HAND_OVERS)[number];
