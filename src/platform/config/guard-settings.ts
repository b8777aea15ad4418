import { fraction, wholeNumber, type Variable } from './setting-types.js';

/** Limits of bounces and complaints at which an organization is warned, sends more slowly, or not at all. */
export const guardVariables = {
  GUARD_BOUNCE_WARN: fraction({
    description: 'Hard bounces per recipient at which an organization is warned (1: never)',
    default: 0.05,
    example: '0.05',
  }),
  GUARD_BOUNCE_SLOW: fraction({
    description: 'Hard bounces per recipient at which an organization is slowed down (1: never)',
    default: 0.075,
    example: '0.075',
  }),
  GUARD_BOUNCE_PAUSE: fraction({
    description: 'Hard bounces per recipient at which an organization is paused (1: never)',
    default: 0.1,
    example: '0.1',
  }),
  GUARD_COMPLAINT_WARN: fraction({
    description: 'Complaints per recipient at which an organization is warned (1: never)',
    default: 0.001,
    example: '0.001',
  }),
  GUARD_COMPLAINT_SLOW: fraction({
    description: 'Complaints per recipient at which an organization is slowed down (1: never)',
    default: 0.002,
    example: '0.002',
  }),
  GUARD_COMPLAINT_PAUSE: fraction({
    description: 'Complaints per recipient at which an organization is paused (1: never)',
    default: 0.003,
    example: '0.003',
  }),
  GUARD_MIN_SENT: wholeNumber({
    description: 'Minimum number of recipients within 1 hour, 24 hours or 7 days for the limits to apply',
    default: 200,
    min: 1,
    max: 1_000_000,
  }),
  GUARD_SLOW_PER_MINUTE: wholeNumber({
    description: 'Emails per minute that a slowed-down organization may send',
    default: 60,
    min: 1,
    max: 600,
  }),
} satisfies Record<string, Variable<unknown>>;
