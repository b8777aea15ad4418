import type { DnsAnswer } from '../platform/dns/dns-lookups.js';
import { shownRecords, unanswered, type Finding } from './domain-record.js';

/** Mechanisms and the modifier that make receivers look further; more than ten are an error (RFC 7208, 4.6.4). */
const LOOKUPS = /^[+?~-]?(include|a|mx|ptr|exists)([:/]|$)|^redirect=/i;
const MOST_LOOKUPS = 10;
const END = /^([+?~-]?all$|redirect=)/i;

export interface SpfJudgement extends Finding {
  /** The whole record as it should be: that of the domain with our part in it. */
  readonly value: string;
}

/** @param mechanism what lets us send, as in `include:mail.example.com` */
export function judgeSpf(mechanism: string, answer: DnsAnswer): SpfJudgement {
  const fresh = spfValue(mechanism);
  if (answer.kind === 'unanswered') return { ...unanswered(answer.reason), value: fresh };
  const records = answer.kind === 'found' ? answer.records.filter(isSpf) : [];
  const [only, ...others] = records;
  const seen = shownRecords(records);
  if (only === undefined) {
    return { found: false, seen, value: fresh, advice: 'Publish this record: it says that we may send for the domain' };
  }
  const value = merge(records, mechanism);
  if (others.length > 0) {
    const advice = `There are ${records.length} SPF records, and receivers heed none of them: replace them by this one`;
    return { found: false, seen, value, advice };
  }
  if (!permits(only, mechanism)) {
    return {
      found: false,
      seen,
      value,
      advice: `Your record does not let us send: put ${mechanism} into it, as shown`,
    };
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

function permits(record: string, mechanism: string): boolean {
  return termsOf(record).some((term) => term.replace(/^\+/, '').toLowerCase() === mechanism.toLowerCase());
}

function adviceOn(record: string): string | null {
  const terms = termsOf(record);
  if (terms.some((term) => /^\+?all$/i.test(term))) {
    return 'Your record lets everybody send for the domain (+all): end it with ~all';
  }
  const lookups = terms.filter((term) => LOOKUPS.test(term)).length;
  return lookups > MOST_LOOKUPS
    ? `Your record makes receivers look ${lookups} times, and they give up after ${MOST_LOOKUPS}: take out what you do not need`
    : null;
}

/** One record with every term of all of them, each once, ours before what ends it. */
function merge(records: readonly string[], mechanism: string): string {
  const terms = records.flatMap(termsOf);
  const end = terms.find((term) => END.test(term)) ?? '~all';
  const before = [...terms.filter((term) => !END.test(term)), mechanism];
  return ['v=spf1', ...new Set(before), end].join(' ');
}

function termsOf(record: string): string[] {
  return record.split(/ +/).slice(1).filter(Boolean);
}
