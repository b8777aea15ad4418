import { recipientEventId, type RecipientEvent, type SuppressionReason } from '../../events/recipient-event.js';
import { addressKey } from '../mailbox.js';

/** A recipient that is left out of an email. */
export interface SuppressedRecipient {
  readonly address: string;
  readonly reason: SuppressionReason;
}

const SENTENCE = 'The address is suppressed: ';

/** The reason of such a recipient in the API and in webhooks. */
function suppressionSentence(reason: SuppressionReason): string {
  return `${SENTENCE}${reason}`;
}

/**
 * The reason in a sentence of `suppressionSentence`; undefined for the sentence of a provider that left a recipient
 * out.
 */
export function reasonInSentence(sentence: string): SuppressionReason | undefined {
  return sentence.startsWith(SENTENCE) ? (sentence.slice(SENTENCE.length) as SuppressionReason) : undefined;
}

/** The reports about recipients that are left out of an email. @param at in milliseconds since 1970 */
export function suppressionEvents(
  emailId: string,
  suppressed: readonly SuppressedRecipient[],
  at: number,
): RecipientEvent[] {
  return suppressed.map(({ address, reason }) => ({
    type: 'recipient',
    id: recipientEventId(at, `suppressed:${emailId}:${addressKey(address)}`),
    email: emailId,
    recipient: address,
    fact: 'suppressed',
    reason: suppressionSentence(reason),
  }));
}
