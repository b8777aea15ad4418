import { asText, type EventFields, type Meaning } from '../provider-event-fields.js';
import { SUPPRESSED } from '../ses-words.js';

/** Kinds of feedback by which nobody complains (RFC 5965, 7.3). */
const NO_COMPLAINTS = new Set(['not-spam', 'auth-failure']);
/** One who may have complained gets no more mail, and counts as nothing. */
const SUSPECTED: Meaning = { fact: 'noted', suppression: 'complaint' };

interface Complaint {
  readonly meaningFor: (address: string) => Meaning;
  readonly reason: string;
}

/**
 * Most receivers do not report to SES who complained, so it names all recipients of the message at their domain. Any of
 * them may be the one, so all are suppressed. But it is one complaint, so one of them complained: the same in every
 * repeat, which may name them in another order.
 * @param addresses of the recipients that it names
 */
export function readComplaint(details: EventFields, addresses: readonly string[]): Complaint {
  const meaning = meaningOf(details);
  const kind = asText(details.complaintFeedbackType);
  const [first, ...others] = [...new Set(addresses.map((address) => address.toLowerCase()))].sort();
  if (meaning.fact !== 'complained' || others.length === 0) return { meaningFor: () => meaning, reason: kind };
  return {
    meaningFor: (address) => (address.toLowerCase() === first ? meaning : SUSPECTED),
    reason: `${kind || 'complaint'} of one of ${others.length + 1} recipients: Amazon SES does not say which`,
  };
}

/** SES passes on any feedback report, also the one by which a recipient says that a message is no spam. */
function meaningOf({ complaintSubType, complaintFeedbackType }: EventFields): Meaning {
  if (SUPPRESSED.has(asText(complaintSubType))) return { fact: 'suppressed', suppression: 'complaint' };
  const isComplaint = !NO_COMPLAINTS.has(asText(complaintFeedbackType).trim().toLowerCase());
  return { fact: isComplaint ? 'complained' : 'noted' };
}
