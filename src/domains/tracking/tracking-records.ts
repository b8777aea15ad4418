import type { DnsResult } from '../../platform/dns/dns-lookups.js';
import { NOT_CHECKED, noDnsResponse, shownRecords, type DomainRecord, type RecordCheck } from '../domain-record.js';
import type { Ownership } from '../ownership.js';

/** @param target name of the tracking hosts, to which the domain must lead */
export function trackingRecord(domain: string, target: string, check: RecordCheck): DomainRecord {
  return { type: 'CNAME', name: domain, value: target, purpose: 'tracking', required: true, ...check };
}

/** Whether the domain is an alias of the tracking hosts. */
export function checkAlias(target: string, cname: DnsResult): { alias: Ownership; check: RecordCheck } {
  if (cname.kind === 'unanswered') return { alias: 'unanswered', check: noDnsResponse(cname.reason) };
  const records = cname.kind === 'found' ? cname.records : [];
  if (records.some((name) => name.toLowerCase().replace(/\.$/, '') === target)) {
    return { alias: 'seen', check: { found: true, seen: [target], advice: null } };
  }
  const advice =
    records.length === 0
      ? `${NOT_CHECKED.advice!}. If it is published, turn off the proxy of the DNS provider, which hides it`
      : 'The name is an alias of another host: replace the record';
  return { alias: 'missing', check: { found: false, seen: shownRecords(records), advice } };
}
