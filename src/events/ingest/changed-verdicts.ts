import type { SingleEvent } from '../engagement-event.js';
import type { VerdictChange } from '../store/record-verdicts.js';
import { NO_SIGN, type VerdictCode } from '../verdict.js';
import type { EventOfEmail } from './event-rows.js';
import type { SumOfEmail } from './event-sums.js';

/** The verdict of the tracking edge. */
export function verdictAtEdge(event: SingleEvent): VerdictCode {
  return event.type === 'sent' ? NO_SIGN : (event.verdict ?? NO_SIGN);
}

/** The stream carries the verdict of the edge. */
export function changedSinceEdge({ event, email, verdict }: EventOfEmail): VerdictChange[] {
  if (event.type === 'sent' || verdict === verdictAtEdge(event)) return [];
  const linkPosition = event.type === 'clicked' ? event.linkPosition : null;
  return [{ id: event.id, email: email.trackingId, type: event.type, linkPosition, verdict }];
}

/** The stream has it as a single hit. */
export function summedSinceEdge({ event, email }: SumOfEmail): VerdictChange {
  const linkPosition = event.clicks[0]?.linkPosition ?? null;
  return { id: event.id, email: email.trackingId, type: 'summed', linkPosition, verdict: NO_SIGN };
}
