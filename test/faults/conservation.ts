/**
 * The conservation laws of the service, judged from what was seen outside of it:
 *
 * L1  every request is answered some day; every email that was answered 2xx is stored, once, and reaches a last state
 * L2  the provider accepted each email once; a second copy only where nobody could know, and flagged as such
 * L3  `sent` means that the provider accepted it, and the other way round
 * L4  every sent email was announced to its webhook, under one id however often
 * L5  the stored events are the answered opens and clicks, no more and no less, and every counter agrees
 * L6  no process ended by itself, none grew without bound, none printed what is not its to print
 */
export type Law = 'L1' | 'L2' | 'L3' | 'L4' | 'L5' | 'L6';

export interface StoredEmail {
  readonly id: string;
  readonly status: string;
  readonly possibleDuplicate: boolean;
  readonly outcomeUnknown: boolean;
  /** How often the provider accepted it. */
  readonly deliveries: number;
  /** The ids of the announcements of its sending that its webhook has accepted; undefined where nobody listens. */
  readonly announcements?: readonly string[] | undefined;
}

/** One email that a client wanted to send, under a key of its own. */
export interface SendEntry {
  readonly key: string;
  /** Whether the client got a 2xx for it. */
  readonly answered: boolean;
  /** What is stored under its key: one email, if all is well. */
  readonly emails: readonly StoredEmail[];
}

export interface EngagementEntries {
  /** Ids of the opens and clicks that were answered. */
  readonly answered: readonly string[];
  /** Requests that broke off without an answer: each may have left an event, or not. */
  readonly unanswered: number;
  /** Ids of the stored events. */
  readonly stored: readonly string[];
  /** Every sum of opens and clicks that the service keeps, by its name. */
  readonly counters: Readonly<Record<string, number>>;
  /** Events that a scenario destroyed together with their only copy. */
  readonly destroyed?: ReadonlySet<string>;
}

export interface Books {
  readonly sends: readonly SendEntry[];
  readonly engagement: EngagementEntries;
  /** Requests that ended without a usable answer, in words. */
  readonly complaints: readonly string[];
  /** What the processes themselves did wrong, in words. */
  readonly processes: readonly string[];
}

/** What a scenario's fault makes unavoidable, beyond the laws in their strictest form. */
export interface Allowance {
  /** How often an email may meet a moment of which nobody can know how it ended. */
  readonly ambiguousMoments: number;
  /** `unknown` where an email may twice meet such a moment, `any` where the provider refuses emails for good. */
  readonly failures: 'none' | 'unknown' | 'any';
}

export const NOTHING_ALLOWED: Allowance = { ambiguousMoments: 0, failures: 'none' };

export interface Verdict {
  readonly accepted: number;
  readonly delivered: number;
  readonly flaggedDoubles: number;
  readonly unflaggedDoubles: number;
  readonly lost: number;
  /** Ended `failed`, visibly. */
  readonly failed: number;
  readonly events: number;
  readonly eventsLost: number;
  /** Gone with their only copy, which the scenario destroyed. */
  readonly eventsDestroyed: number;
  readonly eventsDoubled: number;
  readonly breaches: readonly string[];
}

const LAST_STATES = new Set(['sent', 'failed']);

/** Judges the books. The verdict has a breach for everything that should not be there. */
export function judge(books: Books, allowance: Allowance = NOTHING_ALLOWED): Verdict {
  const breaches: string[] = [];
  const breach = (law: Law, what: string) => void breaches.push(`${law}: ${what}`);
  const tally = { delivered: 0, flaggedDoubles: 0, unflaggedDoubles: 0, lost: 0, failed: 0 };
  for (const send of books.sends) {
    judgeKey(send, tally, breach);
    for (const email of send.emails) judgeEmail(email, allowance, tally, breach);
  }
  const engagement = judgeEngagement(books.engagement, breach);
  for (const complaint of books.complaints) breach('L1', complaint);
  for (const process of books.processes) breach('L6', process);
  const accepted = books.sends.filter(({ answered }) => answered).length;
  return { accepted, ...tally, ...engagement, breaches };
}

type Tally = Record<'delivered' | 'flaggedDoubles' | 'unflaggedDoubles' | 'lost' | 'failed', number>;
type Breach = (law: Law, what: string) => void;

function judgeKey({ key, answered, emails }: SendEntry, tally: Tally, breach: Breach): void {
  if (answered && emails.length === 0) {
    tally.lost++;
    breach('L1', `${key} was answered and is not stored`);
  }
  if (emails.length > 1) {
    tally.unflaggedDoubles += emails.length - 1;
    breach('L1', `${key} is stored ${emails.length} times`);
  }
}

function judgeEmail(email: StoredEmail, allowance: Allowance, tally: Tally, breach: Breach): void {
  const { id, status, deliveries } = email;
  if (deliveries > 0) tally.delivered++;
  judgeCopies(email, allowance, tally, breach);
  if (!LAST_STATES.has(status)) {
    tally.lost++;
    breach('L1', `${id} is still ${status}`);
  } else if (status === 'sent' && deliveries === 0) {
    tally.lost++;
    breach('L3', `${id} is sent and the provider never took it`);
  } else if (status === 'failed') {
    judgeFailure(email, allowance, tally, breach);
  } else {
    judgeAnnouncements(email, breach);
  }
}

function judgeCopies(email: StoredEmail, allowance: Allowance, tally: Tally, breach: Breach): void {
  const { id, deliveries, possibleDuplicate } = email;
  if (deliveries < 2) return;
  const isFlagged = possibleDuplicate && deliveries <= 1 + allowance.ambiguousMoments;
  if (isFlagged) tally.flaggedDoubles += deliveries - 1;
  else {
    tally.unflaggedDoubles += deliveries - 1;
    breach('L2', `${id} was accepted ${deliveries} times${possibleDuplicate ? '' : ', unflagged'}`);
  }
}

function judgeFailure(email: StoredEmail, allowance: Allowance, tally: Tally, breach: Breach): void {
  const { id, deliveries, outcomeUnknown } = email;
  tally.failed++;
  const isAllowed = allowance.failures === 'any' || (allowance.failures === 'unknown' && outcomeUnknown);
  if (!isAllowed) {
    tally.lost++;
    breach('L1', `${id} failed`);
  }
  if (deliveries > 0 && !outcomeUnknown) breach('L3', `${id} failed and the provider took it`);
}

function judgeAnnouncements({ id, announcements }: StoredEmail, breach: Breach): void {
  if (announcements === undefined) return;
  if (announcements.length === 0) breach('L4', `the sending of ${id} was never announced`);
  const ids = new Set(announcements).size;
  if (ids > 1) breach('L4', `the sending of ${id} was announced under ${ids} ids`);
}

function judgeEngagement(entries: EngagementEntries, breach: Breach) {
  const { answered, unanswered, stored, counters, destroyed = new Set<string>() } = entries;
  const kept = new Set(stored);
  const known = new Set(answered);
  const missing = answered.filter((id) => !kept.has(id));
  const lost = missing.filter((id) => !destroyed.has(id)).length;
  const foreign = [...kept].filter((id) => !known.has(id)).length;
  const doubled = stored.length - kept.size + Math.max(0, foreign - unanswered);
  if (lost > 0) breach('L5', `${lost} answered opens and clicks are not stored`);
  if (doubled > 0) breach('L5', `${doubled} events more are stored than were answered`);
  for (const [name, value] of Object.entries(counters)) {
    if (value !== stored.length) breach('L5', `${name} says ${value}, stored are ${stored.length}`);
  }
  return { events: stored.length, eventsLost: lost, eventsDestroyed: missing.length - lost, eventsDoubled: doubled };
}
