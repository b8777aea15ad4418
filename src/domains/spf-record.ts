import type { DnsResult } from '../platform/dns/dns-lookups.js';
import { noDnsResponse, shownRecords, withoutControls, type RecordCheck } from './domain-record.js';

/** Terms that cause a DNS lookup. More than ten lookups are an error (RFC 7208, 4.6.4). */
const LOOKUPS = /^[+?~-]?(include|a|mx|ptr|exists)([:/]|$)|^redirect=/i;
const MAX_LOOKUPS = 10;
const ALL = /^[+?~-]?all$/i;
const END = /^([+?~-]?all$|redirect=)/i;

export interface SpfCheck extends RecordCheck {
  /** The full record to publish: the existing one with our mechanism added. */
  readonly value: string;
}

/** @param mechanism the term that permits us to send, such as `include:mail.example.com` */
export function checkSpf(mechanism: string, result: DnsResult): SpfCheck {
  const fresh = spfValue(mechanism);
  if (result.kind === 'unanswered') return { ...noDnsResponse(result.reason), value: fresh };
  const records = result.kind === 'found' ? result.records.filter(isSpf).map(withoutControls) : [];
  const [only, ...others] = records;
  const seen = shownRecords(records);
  if (only === undefined) {
    return { found: false, seen, value: fresh, advice: 'Publish this record: it permits us to send for the domain' };
  }
  const value = merge(records, mechanism);
  if (others.length > 0) {
    const advice = `There are ${records.length} SPF records, so receivers ignore all of them: replace them with this one`;
    return { found: false, seen, value, advice };
  }
  if (!permits(only, mechanism)) {
    const advice = termsOf(only).some((term) => isFor(mechanism, term))
      ? `Your record has ${mechanism} where it permits nothing: publish the record as shown`
      : `Your record does not permit us to send: add ${mechanism}, as shown`;
    return { found: false, seen, value, advice };
  }
  return { found: true, seen, value: only, advice: adviceOn(only) };
}

export function spfValue(mechanism: string): string {
  return `v=spf1 ${mechanism} ~all`;
}

/** RFC 7208, 4.5: the version, then a space or the end. */
function isSpf(record: string): boolean {
  return /^v=spf1( |$)/i.test(record);
}

/** The first term that matches decides (RFC 7208, 4.6.2), and terms after "all" are never tested (5.1). */
function permits(record: string, mechanism: string): boolean {
  const decisive = termsOf(record).find((term) => ALL.test(term) || isFor(mechanism, term));
  return decisive !== undefined && isFor(mechanism, decisive) && !/^[?~-]/.test(decisive);
}

/** True for the mechanism with any qualifier. */
function isFor(mechanism: string, term: string): boolean {
  return term.replace(/^[+?~-]/, '').toLowerCase() === mechanism.toLowerCase();
}

function adviceOn(record: string): string | null {
  const terms = termsOf(record);
  if (terms.some((term) => /^\+?all$/i.test(term))) {
    return 'Your record permits any server to send for the domain (+all): end it with ~all';
  }
  const lookups = terms.filter((term) => LOOKUPS.test(term)).length;
  return lookups > MAX_LOOKUPS
    ? `Your record causes ${lookups} DNS lookups, and receivers stop after ${MAX_LOOKUPS}: remove terms that you do not need`
    : null;
}

/** Merges the records into one with all their terms, each once, and our mechanism before the final term. */
function merge(records: readonly string[], mechanism: string): string {
  const terms = records.flatMap(termsOf);
  const end = terms.find((term) => END.test(term)) ?? '~all';
  const before = [...terms.filter((term) => !END.test(term) && !isFor(mechanism, term)), mechanism];
  return ['v=spf1', ...new Set(before), end].join(' ');
}

function termsOf(record: string): string[] {
  return record.split(/ +/).slice(1).filter(Boolean);
}
