import type { Observations } from './observations.js';
import { countersMatch } from './invariants/counters.js';
import { acceptedBy, acceptedOnce, statusMatchesProvider } from './invariants/deliveries.js';
import { eventsAreStoredOnce, tallyEvents, type EventTally } from './invariants/events.js';
import { NOTHING_ALLOWED, type Allowance, type Invariant } from './invariants/invariant.js';
import { machineCountersMatch } from './invariants/machine-counters.js';
import { isAccepted, requestsAreHonored } from './invariants/requests.js';
import { webhooksAreDeliveredOnce } from './invariants/webhooks.js';

/**
 * The invariants of the service, checked row by row against what was observed from outside:
 *
 * L1  every request is answered some day, and truly; every email that was answered 2xx is stored, once, as it was asked
 *     for, and reaches a last state
 * L2  the provider accepts each email once; a second copy only after an observed unknown outcome, and flagged; no other flag
 * L3  `sent` means that the provider accepted it as it was asked for, and the other way round
 * L4  what happens to an email is announced to its webhook, truly, signed, under one id however often; nothing else is
 * L5  the stored events are the answered opens and clicks and one `sent` of each sent email, for each contact; every
 *     counter of emails, links, contacts and campaigns, of people and of machines, is the number of its rows
 * L6  no process ends by itself, none takes more memory than usual, none prints what is not its to print
 * L7  nothing is left behind: see leftovers.ts
 * L8  the event store, where there is one, has each event of Postgres once, as the same, and no other: see invariants/event-store-invariant.ts
 */
const INVARIANTS: readonly (readonly [name: string, invariant: Invariant])[] = [
  ['L1', requestsAreHonored],
  ['L2', acceptedOnce],
  ['L3', statusMatchesProvider],
  ['L4', webhooksAreDeliveredOnce],
  ['L5', eventsAreStoredOnce],
  ['L5', countersMatch],
  ['L5', machineCountersMatch],
  ['L6', ({ processes }) => processes],
];

export interface Reconciliation extends EventTally {
  readonly accepted: number;
  readonly delivered: number;
  readonly flaggedDuplicates: number;
  readonly unflaggedDuplicates: number;
  readonly lost: number;
  /** Ended `failed`, visibly. */
  readonly failed: number;
  readonly violations: readonly string[];
}

/** Checks every invariant against the observations. */
export function reconcile(observations: Observations, allowance: Partial<Allowance> = {}): Reconciliation {
  const violations = INVARIANTS.flatMap(([name, invariant]) =>
    [...invariant(observations, { ...NOTHING_ALLOWED, ...allowance })].map((what) => `${name}: ${what}`),
  );
  return { ...tallyEmails(observations), ...tallyEvents(observations), violations };
}

function tallyEmails(observations: Observations) {
  const { sends, stored } = observations;
  const copies = acceptedBy(observations);
  const delivered = stored.emails.filter(({ id }) => copies.has(id));
  const keys = new Set(stored.emails.map(({ key }) => key));
  const duplicates = (isFlagged: boolean): number =>
    delivered
      .filter(({ possibleDuplicate }) => possibleDuplicate === isFlagged)
      .reduce((total, { id }) => total + copies.get(id)!.length - 1, 0);
  const isLost = ({ status, id }: { status: string; id: string }) =>
    !['sent', 'failed', 'canceled'].includes(status) || (status === 'sent' && !copies.has(id));
  const accepted = sends.filter(isAccepted);
  return {
    accepted: accepted.length,
    delivered: delivered.length,
    flaggedDuplicates: duplicates(true),
    unflaggedDuplicates: duplicates(false) + stored.emails.length - keys.size,
    lost: accepted.filter(({ key }) => !keys.has(key)).length + stored.emails.filter(isLost).length,
    failed: stored.emails.filter(({ status }) => status === 'failed').length,
  };
}
