import type { DomainRow } from './domain-row.js';

const AFTER_OWNERSHIP =
  'The delivery provider signs mail of this domain. Its DKIM records join the list once the ownership record is found (verify)';
const PROVIDER_UNAVAILABLE =
  'Senders on this domain are rewritten: the DKIM records are missing here, because the delivery provider, which creates them, did not respond. Verify the domain again';
const PROVIDER_CANNOT_SIGN =
  'Senders on this domain are rewritten: the delivery provider does not accept them yet, because it does not find all of its records. Publish them, then verify the domain again';
const NO_KEY = 'This domain has no DKIM key yet. Verify the domain again';

/**
 * Why mail cannot be sent from a domain; null when it can.
 * @param providerSigns true when the provider signs mail, not Mailbeacon
 */
export function noticeOf(row: DomainRow, providerSigns: boolean): string | null {
  const notices = [noticeOfSigning(row, providerSigns), noticeOfRefusal(row)].filter((notice) => notice !== null);
  return notices.length > 0 ? notices.join('. ') : null;
}

function noticeOfSigning(row: DomainRow, providerSigns: boolean) {
  const { status, records, provider_signs: canSign } = row;
  if (row.has_own_providers) return null;
  const hasRecords = records.some(({ purpose }) => purpose === 'dkim');
  if (!providerSigns) return hasRecords ? null : NO_KEY;
  if (status === 'pending') return hasRecords ? null : AFTER_OWNERSHIP;
  if (canSign) return null;
  return hasRecords ? PROVIDER_CANNOT_SIGN : PROVIDER_UNAVAILABLE;
}

/** The notice stays until the domain is verified again. */
function noticeOfRefusal({ sender_refused_at: at, sender_refusal: reason }: DomainRow): string | null {
  if (at === null) return null;
  return `At ${at.toISOString()} the delivery provider refused an email because of its sender: ${reason ?? 'it gave no reason'}`;
}
