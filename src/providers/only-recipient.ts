import type { OutgoingEmail } from './provider.js';

type Addressed = Pick<OutgoingEmail, 'to' | 'cc' | 'bcc' | 'envelopeRecipients' | 'acceptedAddresses'>;

/**
 * The position of the only recipient of an attempt among the addresses that were accepted, by which reports name it;
 * undefined if there are several.
 */
export function onlyRecipientOf(email: Addressed): number | undefined {
  const { to, cc, bcc, envelopeRecipients } = email;
  const { acceptedAddresses = [...to, ...cc, ...bcc].map(({ address }) => address) } = email;
  const position = envelopeRecipients.length === 1 ? acceptedAddresses.indexOf(envelopeRecipients[0]!) : -1;
  return position === -1 ? undefined : position;
}
