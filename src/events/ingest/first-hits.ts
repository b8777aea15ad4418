import { HOUR_MS } from '../../campaigns/stats/stat-counters.js';
import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import { plainArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';
import { isHit } from '../is-hit.sql.js';
import { MACHINE_VERDICTS } from '../verdict.js';
import { contactOf, splitByContact } from './busy-contacts.js';
import type { CounterDeltas } from './counter-deltas.js';
import type { EmailDeltas } from './email-deltas.js';

/** The first hits of an email by people, in milliseconds; null without any. */
export interface FirstHits {
  readonly openAt: number | null;
  readonly clickAt: number | null;
}

const FIRST_OF_EACH = `v.email_id as "emailId", v.type, min(date_part('epoch', v.occurred_at) * 1000) as at`;
const IS_BY_PERSON = `${isHit('v.type')} and v.verdict <> all('{${MACHINE_VERDICTS.join(',')}}'::smallint[])
  and v.ordinal = 1 and v.occurred_at >= to_timestamp($3::float8 / 1000)`;

/**
 * By the index over the events of a contact. $1 email ids, $2 first contacts, $3 the earliest time that matters, in
 * milliseconds.
 */
const FIND_EVENTS = `
select ${FIRST_OF_EACH} from unnest($1::uuid[], $2::bigint[]) as hit (email_id, contact_id)
join events v on v.contact_id = hit.contact_id and v.email_id = hit.email_id
where ${IS_BY_PERSON} group by v.email_id, v.type`;

/** The same with different contacts, whose events are read once for all emails. */
const FIND_EVENTS_OF_BUSY = `
with later as materialized (
  select v.email_id, v.type, v.occurred_at from events v where v.contact_id = any($2::bigint[]) and ${IS_BY_PERSON}
)
select ${FIRST_OF_EACH} from later v where v.email_id = any($1::uuid[]) group by v.email_id, v.type`;

const FIRST_ID = `min(id::text collate "C")`;

/** One row for each email, because machines can cause millions of sums. IDs sort by their time. $1 email ids. */
const FIND_SUMS = `
select email_id as "emailId", ${FIRST_ID} filter (where opens > machine_opens) as opened,
  ${FIRST_ID} filter (where clicks > machine_clicks) as clicked
from event_sums where email_id = any($1::uuid[]) group by email_id`;

/**
 * Finds the first hits by people after the batch, and moves unique opens and clicks to their hours. Call it when
 * events, sums and verdicts are stored. It needs a query only if a first hit turned out to be a machine's.
 */
export async function settleFirstHits(sql: Sql, counters: CounterDeltas): Promise<ReadonlyMap<EmailDeltas, FirstHits>> {
  const emails = counters.engagedEmails.filter(({ email }) => email.inStats);
  const stored = await findStored(sql, emails.filter(hasLostFirst));
  return new Map(
    emails.map((deltas) => {
      const { email, people } = deltas;
      const found = stored.get(email.id);
      const openAt = firstOf(people.opens, email.firstOpenAt, deltas.firstOpen, found?.openAt);
      const clickAt = firstOf(people.clicks, email.firstClickAt, deltas.firstClick, found?.clickAt);
      moveUnique(counters, deltas, 'unique_opens', email.firstOpenAt, openAt);
      moveUnique(counters, deltas, 'unique_clicks', email.firstClickAt, clickAt);
      return [deltas, { openAt, clickAt }];
    }),
  );
}

type Change = EmailDeltas['firstOpen'];

function hasLostFirst({ email, firstOpen, firstClick, people }: EmailDeltas): boolean {
  return (
    (people.opens > 0 && isLost(email.firstOpenAt, firstOpen)) ||
    (people.clicks > 0 && isLost(email.firstClickAt, firstClick))
  );
}

function isLost(before: number | null, { lost }: Change): boolean {
  return before !== null && lost <= before;
}

/**
 * A new hit may be earlier than all hits that `found` covers.
 * @param people number of hits by people
 * @param found the first one stored at or after `before`, if that one is lost
 */
function firstOf(people: number, before: number | null, change: Change, found: number | undefined): number | null {
  if (people <= 0) return null;
  const kept = isLost(before, change) ? found : before;
  const first = Math.min(kept ?? Infinity, change.added);
  return first === Infinity ? null : first;
}

function moveUnique(
  { hours }: CounterDeltas,
  { email }: EmailDeltas,
  counter: 'unique_opens' | 'unique_clicks',
  before: number | null,
  after: number | null,
): void {
  if (hourOf(before) === hourOf(after)) return;
  if (before !== null) hours.add(email, before, counter, -1);
  if (after !== null) hours.add(email, after, counter, 1);
}

function hourOf(at: number | null): number | null {
  return at === null ? null : Math.floor(at / HOUR_MS);
}

interface Found {
  openAt?: number;
  clickAt?: number;
}

async function findStored(sql: Sql, emails: readonly EmailDeltas[]): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>();
  if (emails.length === 0) return found;
  const recordHit = (emailId: string, name: keyof Found, at: number): void => {
    const times = found.get(emailId) ?? {};
    times[name] = Math.min(times[name] ?? Infinity, at);
    found.set(emailId, times);
  };
  const { ofBusy, ofOthers } = splitByContact(emails);
  for (const { emailId, type, at } of [...(await eventsOfOthers(sql, ofOthers)), ...(await eventsOfBusy(sql, ofBusy))])
    recordHit(emailId, type === 'opened' ? 'openAt' : 'clickAt', Math.round(at));
  const ids = plainArray(emails.map(({ email }) => email.id));
  const sums = await sql.query<{ emailId: string; opened: string | null; clicked: string | null }>(FIND_SUMS, [ids]);
  for (const { emailId, opened, clicked } of sums) {
    if (opened !== null) recordHit(emailId, 'openAt', timeOfUuidV7(opened));
    if (clicked !== null) recordHit(emailId, 'clickAt', timeOfUuidV7(clicked));
  }
  return found;
}

interface FirstEvent {
  readonly emailId: string;
  readonly type: 'opened' | 'clicked';
  readonly at: number;
}

async function eventsOfOthers(sql: Sql, emails: readonly EmailDeltas[]): Promise<FirstEvent[]> {
  if (emails.length === 0) return [];
  return sql.prepared<FirstEvent>('flush-find-first-hits', FIND_EVENTS, [
    plainArray(emails.map(({ email }) => email.id)),
    plainArray(emails.map(({ email }) => contactOf(email))),
    earliestOf(emails),
  ]);
}

async function eventsOfBusy(sql: Sql, emails: readonly EmailDeltas[]): Promise<FirstEvent[]> {
  if (emails.length === 0) return [];
  return sql.query<FirstEvent>(FIND_EVENTS_OF_BUSY, [
    plainArray(emails.map(({ email }) => email.id)),
    plainArray([...new Set(emails.map(({ email }) => contactOf(email)))]),
    earliestOf(emails),
  ]);
}

/** Nothing before the first hits matters, so older partitions are left out. */
function earliestOf(emails: readonly EmailDeltas[]): number {
  return emails.reduce(
    (earliest, { email }) => Math.min(earliest, email.firstOpenAt ?? Infinity, email.firstClickAt ?? Infinity),
    Infinity,
  );
}
