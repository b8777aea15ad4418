import type { Observations, ProviderRequest, ObservedSend, StoredEmail } from '../observations.js';
import { areSame, groupBy, type Allowance } from './invariant.js';

/**
 * L2: the provider accepts each email once. A second copy needs an observed unknown outcome and a flag, and is
 * the same message under the same Message-ID. A flag without an unknown outcome is a violation, too.
 */
export function* acceptedOnce(observations: Observations, { unconfirmedFlags }: Allowance): Iterable<string> {
  const accepted = acceptedBy(observations);
  const unjustified: string[] = [];
  for (const { id, possibleDuplicate } of observations.stored.emails) {
    const copies = accepted.get(id) ?? [];
    const isOutcomeUnknown = (observations.unknownOutcomes.get(id) ?? 0) > 0;
    if (possibleDuplicate && !isOutcomeUnknown) unjustified.push(id);
    if (copies.length < 2) continue;
    if (!possibleDuplicate) yield `${id} was accepted ${copies.length} times, unflagged`;
    else if (copies.length > 2) yield `${id} was accepted ${copies.length} times`;
    if (!isOutcomeUnknown) yield `${id} was accepted twice without an unknown outcome`;
    if (new Set(copies.map(({ message }) => message?.messageId)).size > 1) yield `copies of ${id} differ in Message-ID`;
  }
  if (unjustified.length > unconfirmedFlags) {
    yield `${unjustified.length} emails are flagged as possible duplicates without an unknown outcome: ${unjustified[0]}`;
  }
}

/** L3: `sent` means that the provider accepted the email as requested, and vice versa. */
export function* statusMatchesProvider(observations: Observations): Iterable<string> {
  const accepted = acceptedBy(observations);
  const sends = new Map(observations.sends.map((send) => [send.key as string | null, send]));
  for (const email of observations.stored.emails) {
    const { id, status, outcomeUnknown, providerId } = email;
    const copies = accepted.get(id) ?? [];
    if (status === 'sent' && copies.length === 0) yield `${id} is sent and the provider never accepted it`;
    if (status === 'failed' && copies.length > 0 && !outcomeUnknown) yield `${id} failed and the provider accepted it`;
    if (status === 'canceled' && copies.length > 0) yield `${id} is canceled and the provider accepted it`;
    const names = copies.map((copy) => copy.providerId);
    if (status === 'sent' && !names.includes(undefined) && !names.includes(providerId ?? '')) {
      yield `${id} has the provider's ID ${providerId}, which the provider never assigned`;
    }
    for (const copy of copies) yield* messageMatchesRequest(email, sends.get(email.key), copy);
  }
}

export function acceptedBy({ providerRequests }: Observations): ReadonlyMap<string, ProviderRequest[]> {
  const accepted = providerRequests.filter(({ outcome }) => outcome === 'accepted');
  return groupBy(accepted, ({ emailId }) => emailId);
}

function* messageMatchesRequest(
  { id, trackingId }: StoredEmail,
  send: ObservedSend | undefined,
  { message }: ProviderRequest,
): Iterable<string> {
  if (!message || !send) return;
  for (const field of ['to', 'cc', 'bcc'] as const) {
    if (!areSame(message[field], send.message[field])) yield `${id} went to ${field} ${message[field].join(', ')}`;
  }
  if (message.subject !== send.message.subject) yield `${id} went out with another subject`;
  const pixels = message.html.split(`/api/t/o/${trackingId}"`).length - 1;
  if (pixels !== 1) yield `${id} went out with ${pixels} pixels`;
  const links = message.html.match(/\/api\/t\/c\//g)?.length ?? 0;
  if (links !== send.message.urls.length) yield `${id} went out with ${links} tracked links`;
}
