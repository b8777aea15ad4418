import { recipientEventId, type RecipientEvent, type SuppressionReason } from '../../events/recipient-event.js';
import { inDoubt } from '../delivery/unknown-outcome-reason.js';
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

/** An email that leaves recipients out. */
export interface EmailWithout {
  readonly emailId: string;
  readonly suppressed: readonly SuppressedRecipient[];
  /** In milliseconds since 1970. */
  readonly at: number;
  /** True when an earlier copy may have reached them. */
  readonly isInDoubt?: boolean;
}

/** The reports about the recipients that an email leaves out. */
export function suppressionEvents({ emailId, suppressed, at, isInDoubt = false }: EmailWithout): RecipientEvent[] {
  return suppressed.map(({ address, reason }) => ({
    type: 'recipient',
    id: recipientEventId(at, `suppressed:${emailId}:${addressKey(address)}`),
    email: emailId,
    recipient: address,
    fact: 'suppressed',
    reason: isInDoubt ? inDoubt(suppressionSentence(reason)) : suppressionSentence(reason),
  }));
}
