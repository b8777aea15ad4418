import type { DnsAnswer } from '../platform/dns/dns-lookups.js';
import { NOT_LOOKED, shownRecords, unanswered, type Finding } from './domain-record.js';

/** Whether the owner of a domain lets the organization use it; `unanswered` says nothing about it. */
export type Ownership = 'seen' | 'missing' | 'unanswered';

const PREFIX = 'mailbeacon-verification=';

export function ownershipName(domain: string): string {
  return `_mailbeacon.${domain}`;
}

export function ownershipValue(token: string): string {
  return PREFIX + token;
}

/**
 * Exactly our text counts, in any of the records of the name. A name that is an alias does not: behind an alias, a
 * wildcard one above all, others than the owner may publish.
 */
export function judgeOwnership(
  expected: string,
  txt: DnsAnswer,
  cname: DnsAnswer,
): { ownership: Ownership; finding: Finding } {
  if (cname.kind === 'found') {
    const advice = 'The name is an alias (CNAME) of another: remove the alias and publish the TXT record itself';
    return { ownership: 'missing', finding: { found: false, seen: shownRecords(cname.records), advice } };
  }
  const silent = [txt, cname].find((answer) => answer.kind === 'unanswered');
  if (silent?.kind === 'unanswered') return { ownership: 'unanswered', finding: unanswered(silent.reason) };
  const records = txt.kind === 'found' ? txt.records : [];
  if (records.includes(expected))
    return { ownership: 'seen', finding: { found: true, seen: [expected], advice: null } };
  return {
    ownership: 'missing',
    finding: { found: false, seen: shownRecords(records), advice: adviceOn(expected, records) },
  };
}

function adviceOn(expected: string, records: readonly string[]): string | null {
  if (records.length === 0) return NOT_LOOKED.advice;
  const bare = (text: string): string => text.replace(/["'\s]/g, '').toLowerCase();
  if (records.some((text) => bare(text) === expected)) {
    return 'The record has quotation marks, spaces or capitals that do not belong to it: publish the value as it stands here';
  }
  if (records.some((text) => text.startsWith(PREFIX))) {
    return 'The record is that of another organization or of an earlier time: publish this value too';
  }
  return 'Other records are there, ours is not: publish it beside them';
}
