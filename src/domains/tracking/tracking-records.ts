import type { DnsQueries, DnsResult } from '../../platform/dns/dns-lookups.js';
import { NOT_CHECKED, noDnsResponse, shownRecords, type DomainRecord, type RecordCheck } from '../domain-record.js';
import type { Ownership } from '../ownership.js';

/** @param target name of the tracking hosts, to which the domain must lead */
export function trackingRecord(domain: string, target: string, check: RecordCheck): DomainRecord {
  return { type: 'CNAME', name: domain, value: target, purpose: 'tracking', required: true, ...check };
}

/** The operator may have renamed the tracking hosts, with an alias at their old name. */
const MAX_ALIASES = 4;

/** Follows the aliases that begin at a domain. Returns the one that leads to the target, otherwise the first. */
export async function aliasOf(dns: DnsQueries, domain: string, target: string): Promise<DnsResult> {
  const first = await dns.cname(domain);
  let last = first;
  for (let aliases = 1; last.kind === 'found'; aliases++) {
    const [name] = last.records;
    if (isSameName(name!, target)) return last;
    if (aliases === MAX_ALIASES) break;
    last = await dns.cname(name!);
  }
  // An alias to a name whose query is refused leads nowhere, as one to a name that does not exist.
  return last.kind === 'unanswered' && last.mayPass ? last : first;
}

/** Whether the domain is an alias of the tracking hosts. */
export function checkAlias(target: string, cname: DnsResult): { alias: Ownership; check: RecordCheck } {
  if (cname.kind === 'unanswered') return { alias: 'unanswered', check: noDnsResponse(cname.reason) };
  const records = cname.kind === 'found' ? cname.records : [];
  if (records.some((name) => isSameName(name, target))) {
    return { alias: 'seen', check: { found: true, seen: [target], advice: null } };
  }
  const advice =
    records.length === 0
      ? `${NOT_CHECKED.advice!}. If it is published, turn off the proxy of the DNS provider, which hides it`
      : 'The name is an alias of another host: replace the record';
  return { alias: 'missing', check: { found: false, seen: shownRecords(records), advice } };
}

function isSameName(name: string, target: string): boolean {
  return name.toLowerCase().replace(/\.$/, '') === target;
}
