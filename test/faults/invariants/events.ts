import type { Observations, ObservedHit, StoredEmail, StoredEvent } from '../observations.js';
import { areSame, countBy, groupBy } from './invariant.js';

/** The figures of L5 in the report. */
export interface EventTally {
  readonly events: number;
  readonly eventsLost: number;
  /** Lost because the scenario destroyed their only copy. */
  readonly eventsDestroyed: number;
  readonly eventsDuplicated: number;
}

/**
 * L5, events: each open and click with a response is stored correctly, with one row for each contact of its email in
 * their order. So is one `sent` event of each sent email. Only hits without a response may have left further events.
 */
export function* eventsAreStoredOnce(observations: Observations): Iterable<string> {
  const { missing, unexplained } = compare(observations);
  if (missing.length > 0) yield `${missing.length} acknowledged opens and clicks are not stored: ${missing[0]}`;
  for (const [what, count] of unexplained) yield `${count} more events are stored than were acknowledged: ${what}`;
  const emails = new Map(observations.stored.emails.map((email) => [email.id, email]));
  const hits = new Map(observations.hits.map((hit) => [hit.id, hit]));
  const events = groupBy(observations.stored.events, ({ id }) => id);
  for (const [id, rows] of events) {
    const email = emails.get(rows[0]!.emailId);
    yield* hasRowPerContact(id, rows, email);
    const hit = hits.get(id);
    if (email && hit && !matchesHit(hit, rows.find(({ ordinal }) => ordinal === 1) ?? rows[0]!, email))
      yield `the event ${id} is stored as something else`;
  }
  yield* sentEventsAreStoredOnce(observations, events);
}

export function tallyEvents(observations: Observations): EventTally {
  const { missing, destroyed, unexplained, stored } = compare(observations);
  return {
    events: stored,
    eventsLost: missing.length,
    eventsDestroyed: destroyed,
    eventsDuplicated: [...unexplained.values()].reduce((total, count) => total + count, 0),
  };
}

function compare({ hits, stored, destroyed }: Observations) {
  const engagements = stored.events.filter(({ type, ordinal }) => type !== 'sent' && ordinal === 1);
  const kept = countBy(engagements, ({ id }) => id);
  const acknowledged = new Map(hits.flatMap((hit) => (hit.id === undefined ? [] : [[hit.id, hit] as const])));
  const missing = [...acknowledged.keys()].filter((id) => !kept.has(id));
  const trackingIds = new Map(stored.emails.map(({ id, trackingId }) => [id, trackingId]));
  const possible = countBy(
    hits.filter(({ id }) => id === undefined),
    ({ type, trackingId, position }) => `${type} ${trackingId} ${position ?? ''}`,
  );
  const unexplained = new Map<string, number>();
  for (const { id, type, emailId, position } of engagements) {
    if (acknowledged.has(id) && kept.get(id) === 1) continue;
    const what = `${type} ${trackingIds.get(emailId)} ${position ?? ''}`;
    const left = acknowledged.has(id) ? 0 : (possible.get(what) ?? 0);
    if (left > 0) possible.set(what, left - 1);
    else unexplained.set(what, (unexplained.get(what) ?? 0) + 1);
  }
  const lost = missing.filter((id) => !destroyed.has(id));
  return { stored: kept.size, missing: lost, destroyed: missing.length - lost.length, unexplained };
}

/** The event has one row for each contact, in their order; the rows differ in nothing else. */
function* hasRowPerContact(id: string, rows: readonly StoredEvent[], email: StoredEmail | undefined): Iterable<string> {
  if (!email) return yield `the event ${id} is of an email that is not stored`;
  const inOrder = [...rows].sort((one, other) => one.ordinal - other.ordinal);
  const ordinals = inOrder.map(({ ordinal }) => ordinal);
  if (
    !areSame(
      ordinals,
      [...email.contacts.keys()].map((index) => index + 1),
    )
  ) {
    yield `the event ${id} has the ordinals ${ordinals.join(', ')}, its email ${email.contacts.length} contacts`;
  } else if (
    !areSame(
      inOrder.map(({ contact }) => contact),
      email.contacts,
    )
  ) {
    yield `the event ${id} is of other contacts than its email`;
  }
  // Only the row of the first contact contains the destination.
  const contents = rows.map(({ type, emailId, position, at }) => [type, emailId, position, at].join(' '));
  if (new Set(contents).size > 1) yield `the event ${id} differs between contacts`;
}

function matchesHit(hit: ObservedHit, row: StoredEvent, email: StoredEmail): boolean {
  return (
    row.type === hit.type &&
    email.trackingId === hit.trackingId &&
    row.position === (hit.position ?? null) &&
    row.url === (hit.url ?? null)
  );
}

function* sentEventsAreStoredOnce(
  { stored, destroyed }: Observations,
  events: ReadonlyMap<string, readonly StoredEvent[]>,
): Iterable<string> {
  const expected = new Set<string>();
  for (const { id, sentEventId } of stored.emails) {
    if (sentEventId === null) continue;
    expected.add(sentEventId);
    const [event] = events.get(sentEventId) ?? [];
    if (event ? event.type !== 'sent' || event.emailId !== id : !destroyed.has(sentEventId)) {
      yield `the \`sent\` event of ${id} is not stored`;
    }
  }
  for (const [id, [event]] of events) {
    if (event!.type === 'sent' && !expected.has(id)) yield `a \`sent\` event of ${event!.emailId} is unexpected`;
  }
}
