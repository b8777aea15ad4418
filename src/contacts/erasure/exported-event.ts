import { verdictOf, type VerdictCode } from '../../events/verdict.js';
import type { EventType } from '../../events/engagement-event.js';

export interface ExportedEvent {
  readonly type: EventType;
  readonly emailId: string | undefined;
  readonly at: Date;
  readonly link: string | null;
  readonly verdict: VerdictCode;
}

/** One event of a person as JSON text. Opens and clicks have a verdict, as in the timeline of the contact. */
export function exportedEvent({ type, emailId, at, link, verdict }: ExportedEvent): string {
  const isHit = type === 'opened' || type === 'clicked';
  return JSON.stringify({ type, emailId, occurredAt: at.toISOString(), link, ...(isHit && verdictOf(verdict)) });
}
