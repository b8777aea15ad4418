import type { DnsResult } from '../platform/dns/dns-lookups.js';
import { shownRecords, noDnsResponse, type RecordCheck } from './domain-record.js';

export function dkimName(selector: string, domain: string): string {
  return `${selector}._domainkey.${domain}`;
}

/** RFC 6376, 3.6.1. */
export function dkimValue(publicKey: string): string {
  return `v=DKIM1; k=rsa; p=${publicKey}`;
}

export function checkDkim(publicKey: string, result: DnsResult): RecordCheck {
  switch (result.kind) {
    case 'unanswered':
      return noDnsResponse(result.reason);
    case 'none':
      return {
        found: false,
        seen: [],
        advice:
          'Publish this record so that we can sign your mail. If your DNS panel rejects its length, split the value into quoted parts of up to 255 characters',
      };
    case 'found':
      return checkRecords(publicKey, result.records);
  }
}

function checkRecords(publicKey: string, records: readonly string[]): RecordCheck {
  const keys = records.map(publicKeyOf);
  const seen = shownRecords(records);
  if (records.length > 1 && keys.includes(publicKey)) {
    return { found: false, seen, advice: 'This name has several records: keep only this one' };
  }
  if (keys.includes(publicKey)) return { found: true, seen, advice: null };
  const advice = keys.includes('')
    ? 'The record marks the key as revoked (p= is empty): publish this value instead'
    : 'The record contains a different, truncated or changed key: publish this value instead';
  return { found: false, seen, advice };
}

/** The value of the tag `p=`, without folding white space (RFC 6376, 3.2). */
function publicKeyOf(record: string): string | undefined {
  const tag = record.split(';').find((text) => /^\s*p\s*=/.test(text));
  return tag?.slice(tag.indexOf('=') + 1).replace(/\s/g, '');
}
