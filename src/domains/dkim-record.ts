import type { DnsAnswer } from '../platform/dns/dns-lookups.js';
import { shownRecords, unanswered, type Finding } from './domain-record.js';

export function dkimName(selector: string, domain: string): string {
  return `${selector}._domainkey.${domain}`;
}

/** RFC 6376, 3.6.1. */
export function dkimValue(publicKey: string): string {
  return `v=DKIM1; k=rsa; p=${publicKey}`;
}

export function judgeDkim(publicKey: string, answer: DnsAnswer): Finding {
  switch (answer.kind) {
    case 'unanswered':
      return unanswered(answer.reason);
    case 'none':
      return {
        found: false,
        seen: [],
        advice:
          'Publish this record, so that we can sign your mail. It is long: a panel that refuses it takes it in several quoted parts of up to 255 characters',
      };
    case 'found':
      return judgeRecords(publicKey, answer.records);
  }
}

function judgeRecords(publicKey: string, records: readonly string[]): Finding {
  const keys = records.map(publicKeyOf);
  const seen = shownRecords(records);
  if (records.length > 1 && keys.includes(publicKey)) {
    return { found: false, seen, advice: 'There are several records at this name: keep only this one' };
  }
  if (keys.includes(publicKey)) return { found: true, seen, advice: null };
  const advice = keys.includes('')
    ? 'The record says that the key was revoked (p= is empty): publish this value instead'
    : 'The record holds another key, or was cut or changed on the way: publish this value instead';
  return { found: false, seen, advice };
}

/** The tag `p=`; white space inside is folding (RFC 6376, 3.2). */
function publicKeyOf(record: string): string | undefined {
  const tag = record.split(';').find((text) => /^\s*p\s*=/.test(text));
  return tag?.slice(tag.indexOf('=') + 1).replace(/\s/g, '');
}
