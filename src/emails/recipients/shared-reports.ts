import { isUuid } from '../../platform/clock/uuid-v7.js';
import type { RecipientEvent } from '../../events/recipient-event.js';
import { recordKey } from './apply-reports.js';
import { FACT_RULES } from './fact-rules.js';
import { factsThatCount } from './own-facts.js';
import type { RecipientRecord } from './recipient-state.js';
import type { Report } from './reported-emails.js';
import { reasonInSentence } from './suppressed-recipients.js';

/**
 * Separates reports that recipients of one message make about others whom it left out.
 * @param stored records by `recordKey`
 */
export function withoutLeftOut(
  reports: readonly Report[],
  stored: ReadonlyMap<string, RecipientRecord>,
): { received: readonly Report[]; notReceived: readonly Report[] } {
  const notReceived = reports.filter((report) => isAboutLeftOut(report, stored));
  if (notReceived.length === 0) return { received: reports, notReceived };
  return { received: reports.filter((report) => !isAboutLeftOut(report, stored)), notReceived };
}

/** False if an earlier copy may have arrived: then the reason says so first. */
function isAboutLeftOut({ event, email, address }: Report, stored: ReadonlyMap<string, RecipientRecord>): boolean {
  const record = isFromSharedPath(event) ? stored.get(recordKey(email.id, address)) : undefined;
  if (record?.handOver !== 'refused' || (record.facts & FACT_RULES.suppressed.bit) === 0) return false;
  return reasonInSentence(record.reason ?? '') !== undefined;
}

/**
 * Limits what recipients of one message can report about each other: all of them see its return path, and a report
 * names the recipient. Such a bounce or complaint is trusted while no other recipient of the email has one. After that,
 * a complaint about another recipient is only noted, and a bounce of another recipient has no kind, so neither
 * suppresses an address nor counts against the organization.
 * @param reports new ones, in the order of their arrival
 * @param stored records by `recordKey`
 */
export function boundSharedReports(
  reports: readonly Report[],
  stored: ReadonlyMap<string, RecipientRecord>,
): readonly Report[] {
  if (!reports.some(({ event }) => isFromSharedPath(event))) return reports;
  const arrived = new Map<string, Set<string>>();
  return reports.map((report) => {
    const { event, email, address } = report;
    if (event.fact !== 'bounced' && event.fact !== 'complained') return report;
    const key = `${email.id} ${event.fact}`;
    const named = arrived.get(key) ?? new Set(email.addresses.filter((one) => isReported(stored, report, one)));
    arrived.set(key, named);
    const isBelieved = !isFromSharedPath(event) || [...named].every((one) => one === address);
    const bounded = isBelieved ? report : { ...report, event: weakened(event) };
    if (bounded.event.fact === event.fact) named.add(address);
    return bounded;
  });
}

/**
 * Only return paths identify an email by its tracking ID, and only reports through shared return paths name an address.
 */
function isFromSharedPath({ email, recipient }: RecipientEvent): boolean {
  return typeof recipient === 'string' && !isUuid(email);
}

/**
 * Excludes refusals in the SMTP conversation, which came directly from the server, and what was reported while an own
 * provider had the email.
 */
function isReported(stored: ReadonlyMap<string, RecipientRecord>, { email, event }: Report, address: string): boolean {
  const record = stored.get(recordKey(email.id, address));
  if (record === undefined || record.handOver === 'refused') return false;
  return (factsThatCount(record.facts, email.isOwn) & FACT_RULES[event.fact].bit) !== 0;
}

function weakened(event: RecipientEvent): RecipientEvent {
  if (event.fact === 'complained') return { ...event, fact: 'noted' };
  const { bounce, ...rest } = event;
  return bounce === undefined ? event : rest;
}
