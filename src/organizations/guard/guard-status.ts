/**
 * How an organization may send:
 *
 *     normal  without limits
 *     warned  as normal, but it is close to the limits
 *     slowed  a limited number of emails a minute
 *     paused  not at all
 */
export const GUARD_STATES = ['normal', 'warned', 'slowed', 'paused'] as const;

export type GuardStatus = (typeof GUARD_STATES)[number];
