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
 * L1  every request eventually gets a correct response; every email with a 2xx response is stored once, as requested,
 *     and reaches a final state; a refused one is not stored
 * L2  the provider accepts each email once; a second copy needs an observed unknown outcome and a flag;
 *     no other email is flagged
 * L3  `sent` means that the provider accepted the email as requested, and vice versa
 * L4  every send, failure, open and click goes to the webhook: under one ID, correct and signed; nothing else does
 * L5  the stored events are the opens and clicks that got a response and one `sent` event of each sent email, for each
 *     contact; every counter of emails, links, contacts and campaigns, of people and machines, is the number of its
 * rows L6  no process exits by itself, uses more memory than usual, or prints personal data or a secret L7  nothing is
 * left behind: see leftovers.ts L8  the event store, where a scenario has one, has each event of Postgres once and no
 * other: see     invariants/event-store-invariant.ts
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
  /** Emails with the status `failed`. */
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
