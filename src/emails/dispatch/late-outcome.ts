import type { RunSettings } from '../../platform/config/settings.js';

export type AmbiguousSettings = Pick<RunSettings, 'AMBIGUOUS_SEND' | 'AMBIGUOUS_RESEND_AFTER_MS'>;

/**
 * How long the outcome of a worker may take that no longer responds. An email that is resent waits after it was taken
 * over; one that is not would have failed by then.
 */
export function lateOutcomeMs({ AMBIGUOUS_SEND, AMBIGUOUS_RESEND_AFTER_MS }: AmbiguousSettings): number {
  return AMBIGUOUS_SEND === 'hold' ? AMBIGUOUS_RESEND_AFTER_MS : 0;
}
