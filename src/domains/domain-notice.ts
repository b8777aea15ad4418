import type { DomainRow } from './domain-row.js';

const AFTER_OWNERSHIP =
  'The delivery provider signs mail of this domain. Its DKIM records are added to the list once the ownership record is seen (verify)';
const PROVIDER_SILENT =
  'Senders on this domain are rewritten: the DKIM records are missing here, because the delivery provider, which makes them, could not be asked. Let us look again (verify)';
const PROVIDER_CANNOT_SIGN =
  'Senders on this domain are rewritten: the delivery provider does not see its DKIM records, and cannot sign. Publish them, then let us look again (verify)';
const NO_KEY = 'The DKIM key of this domain is not made yet. Let us look again (verify)';

/** What keeps mail from being sent as from a domain; null when nothing does. @param providerSigns whose signature it is */
export function noticeOf(row: DomainRow, providerSigns: boolean): string | null {
  const notices = [noticeOfSigning(row, providerSigns), noticeOfRefusal(row)].filter((notice) => notice !== null);
  return notices.length > 0 ? notices.join('. ') : null;
}

function noticeOfSigning({ status, records, provider_signs: canSign }: DomainRow, providerSigns: boolean) {
  const hasRecords = records.some(({ purpose }) => purpose === 'dkim');
  if (!providerSigns) return hasRecords ? null : NO_KEY;
  if (status === 'pending') return hasRecords ? null : AFTER_OWNERSHIP;
  if (canSign) return null;
  return hasRecords ? PROVIDER_CANNOT_SIGN : PROVIDER_SILENT;
}

/** It stays until the owner of the domain has it verified again. */
function noticeOfRefusal({ sender_refused_at: at, sender_refusal: reason }: DomainRow): string | null {
  if (at === null) return null;
  return `At ${at.toISOString()} the delivery provider refused an email because of its sender: ${reason ?? 'it gave no reason'}`;
}
