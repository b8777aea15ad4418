import { getDomain } from 'tldts';
import type { DnsResult } from '../platform/dns/dns-lookups.js';
import { shownRecords, noDnsResponse, type RecordCheck } from './domain-record.js';

/** The recommended first policy: it does not affect delivery. */
export const DMARC_VALUE = 'v=DMARC1; p=none';

export function dmarcName(domain: string): string {
  return `_dmarc.${domain}`;
}

/** The domain whose record applies to a subdomain without its own (RFC 7489, 6.6.3). Undefined if not a subdomain. */
export function organizationalDomain(domain: string): string | undefined {
  const parent = getDomain(domain, { allowPrivateDomains: true });
  return parent === null || parent === domain ? undefined : parent;
}

/** @param inherited the DNS response for the organizational domain, when `own` is for a subdomain of it */
export function checkDmarc(own: DnsResult, inherited: DnsResult | undefined): RecordCheck {
  if (own.kind === 'unanswered') return noDnsResponse(own.reason);
  const records = policiesOf(own);
  if (records.length > 0 || inherited === undefined) return checkPolicies(records);
  return inherited.kind === 'unanswered' ? noDnsResponse(inherited.reason) : checkPolicies(policiesOf(inherited));
}

function policiesOf(result: DnsResult): string[] {
  return result.kind === 'found' ? result.records.filter((text) => /^v\s*=\s*DMARC1\s*(;|$)/.test(text)) : [];
}

function checkPolicies(records: readonly string[]): RecordCheck {
  const [only, ...others] = records;
  const seen = shownRecords(records);
  if (only === undefined) {
    const advice =
      'Publish this record: large receivers require one. It does not affect delivery yet. A later p=quarantine blocks forged mail';
    return { found: false, seen, advice };
  }
  if (others.length > 0) {
    return { found: false, seen, advice: 'There are several DMARC records, so receivers ignore all of them: keep one' };
  }
  const policy = /;\s*p\s*=\s*(\w+)/i.exec(only)?.[1]?.toLowerCase();
  switch (policy) {
    case 'quarantine':
    case 'reject':
      return { found: true, seen, advice: null };
    case 'none':
      return {
        found: true,
        seen,
        advice:
          'p=none only monitors. Once your own mail passes, p=quarantine or p=reject blocks mail that forges your domain',
      };
    default:
      return { found: false, seen, advice: 'The record has no policy: it needs p=none, p=quarantine or p=reject' };
  }
}
