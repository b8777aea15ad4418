import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { EventSum } from '../engagement-event.js';
import { NO_SIGN } from '../verdict.js';
import type { StreamEvent } from '../stream/stream-event.js';

/**
 * A row of the event store. It names its email but no person: URLs and addresses stay in Postgres, so the store has no
 * personal data.
 */
export interface StoreRow {
  readonly id: string;
  /** Tracking ID. */
  readonly email: string;
  /** In milliseconds since the Unix epoch. */
  readonly at: number;
  /** Sent, opened, clicked, summed, or the fact of a report about a recipient. */
  readonly type: string;
  readonly verdict?: number;
  readonly linkPosition?: number | null;
  readonly smtpStatus?: string | null;
  /** Of a sum. */
  readonly opens?: number;
  readonly clicks?: number;
  readonly machineOpens?: number;
  readonly machineClicks?: number;
  /** Of two rows of an event the store keeps the one with the greater revision. */
  readonly revision: number;
}

/** What the stream says, what Postgres says, and from 2 on a change of a verdict. */
const STREAM_REVISION = 0;
export const POSTGRES_REVISION = 1;
export const FIRST_CHANGE_REVISION = 2;

/** @param email the tracking ID, which a report may not have */
export function rowOfEvent(event: StreamEvent, email: string): StoreRow {
  const head = { id: event.id, email, at: timeOfUuidV7(event.id), revision: STREAM_REVISION };
  switch (event.type) {
    case 'sent':
      return { ...head, type: 'sent' };
    case 'opened':
      return { ...head, type: 'opened', verdict: event.verdict ?? NO_SIGN };
    case 'clicked':
      return { ...head, type: 'clicked', verdict: event.verdict ?? NO_SIGN, linkPosition: event.linkPosition };
    case 'summed':
      return { ...head, type: 'summed', ...totalsOf(event) };
    case 'recipient':
      return { ...head, type: event.fact, smtpStatus: event.smtpStatus };
  }
}

function totalsOf({ opens, clicks, machines = [] }: EventSum) {
  let [machineOpens, machineClicks] = [0, 0];
  for (const { linkPosition, hits } of machines) {
    if (linkPosition === undefined) machineOpens += hits;
    else machineClicks += hits;
  }
  return { opens, clicks: clicks.reduce((total, link) => total + link.clicks, 0), machineOpens, machineClicks };
}
