import { randomBytes } from 'node:crypto';
import type { DnsResult } from '../platform/dns/dns-lookups.js';
import { NOT_CHECKED, shownRecords, noDnsResponse, type DomainRecord, type RecordCheck } from './domain-record.js';

/** Whether the owner of a domain lets the organization use it. `unanswered` means that DNS did not respond. */
export type Ownership = 'seen' | 'missing' | 'unanswered';

const PREFIX = 'mailbeacon-verification=';
const TOKEN_BYTES = 20;

/** A random value that the owner of a domain publishes. */
export const newOwnershipToken = (): string => randomBytes(TOKEN_BYTES).toString('hex');

export function ownershipName(domain: string): string {
  return `_mailbeacon.${domain}`;
}

export function ownershipValue(token: string): string {
  return PREFIX + token;
}

/** The name and the token of a domain row. */
interface Owned {
  readonly domain: string;
  readonly ownership_token: string | null;
}

export function ownershipRecord({ domain, ownership_token: token }: Owned, check: RecordCheck): DomainRecord {
  const [name, value] = [ownershipName(domain), ownershipValue(token ?? '')];
  return { type: 'TXT', name, value, purpose: 'ownership', required: true, ...check };
}

/**
 * One of the TXT records must equal our text exactly. An alias (CNAME) does not count, because its target, for a
 * wildcard alias in particular, may be under another party's control.
 */
export function checkOwnership(
  expected: string,
  txt: DnsResult,
  cname: DnsResult,
): { ownership: Ownership; check: RecordCheck } {
  if (cname.kind === 'found') {
    const advice = 'The name is an alias (CNAME): remove the alias and publish the TXT record instead';
    return { ownership: 'missing', check: { found: false, seen: shownRecords(cname.records), advice } };
  }
  const silent = [txt, cname].find((result) => result.kind === 'unanswered');
  if (silent?.kind === 'unanswered') return { ownership: 'unanswered', check: noDnsResponse(silent.reason) };
  const records = txt.kind === 'found' ? txt.records : [];
  if (records.includes(expected)) return { ownership: 'seen', check: { found: true, seen: [expected], advice: null } };
  return {
    ownership: 'missing',
    check: { found: false, seen: shownRecords(records), advice: adviceOn(expected, records) },
  };
}

function adviceOn(expected: string, records: readonly string[]): string | null {
  if (records.length === 0) return NOT_CHECKED.advice;
  const bare = (text: string): string => text.replace(/["'\s]/g, '').toLowerCase();
  if (records.some((text) => bare(text) === expected)) {
    return 'The record has extra quotation marks, spaces or capital letters: publish the value exactly as shown here';
  }
  if (records.some((text) => text.startsWith(PREFIX))) {
    return 'The record belongs to another organization or to an earlier registration: publish this value too';
  }
  return 'The name has other records, but not ours: publish it in addition';
}
