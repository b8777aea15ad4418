/** What a provider did with one recipient. */
export const HAND_OVER_RESULTS = ['accepted', 'deferred', 'refused'] as const;

export type HandOverResult = (typeof HAND_OVER_RESULTS)[number];
