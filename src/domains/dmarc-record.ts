import { getDomain } from 'tldts';
import type { DnsAnswer } from '../platform/dns/dns-lookups.js';
import { shownRecords, unanswered, type Finding } from './domain-record.js';

/** Asks for reports and changes nothing yet: what to begin with. */
export const DMARC_VALUE = 'v=DMARC1; p=none';

export function dmarcName(domain: string): string {
  return `_dmarc.${domain}`;
}

/** The domain whose record counts where a subdomain has none (RFC 7489, 6.6.3); undefined for one that is no subdomain. */
export function organizationalDomain(domain: string): string | undefined {
  const parent = getDomain(domain, { allowPrivateDomains: true });
  return parent === null || parent === domain ? undefined : parent;
}

/** @param inherited the answer for the organizational domain, when the domain is below one */
export function judgeDmarc(own: DnsAnswer, inherited: DnsAnswer | undefined): Finding {
  if (own.kind === 'unanswered') return unanswered(own.reason);
  const records = policiesOf(own);
  if (records.length > 0 || inherited === undefined) return judgePolicies(records);
  return inherited.kind === 'unanswered' ? unanswered(inherited.reason) : judgePolicies(policiesOf(inherited));
}

function policiesOf(answer: DnsAnswer): string[] {
  return answer.kind === 'found' ? answer.records.filter((text) => /^v\s*=\s*DMARC1\s*(;|$)/.test(text)) : [];
}

function judgePolicies(records: readonly string[]): Finding {
  const [only, ...others] = records;
  const seen = shownRecords(records);
  if (only === undefined) {
    const advice =
      'Publish this record: large receivers ask for one. It changes nothing yet; p=quarantine, later, keeps forgeries out';
    return { found: false, seen, advice };
  }
  if (others.length > 0) {
    return { found: false, seen, advice: 'There are several DMARC records, and receivers heed none of them: keep one' };
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
          'p=none only watches: once your own mail passes, p=quarantine or p=reject keeps forgeries of your domain out',
      };
    default:
      return { found: false, seen, advice: 'The record has no policy: it needs p=none, p=quarantine or p=reject' };
  }
}
