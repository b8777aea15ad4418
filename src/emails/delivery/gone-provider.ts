import { isUuid } from '../../platform/clock/uuid-v7.js';
import type { DeliveryOutcome } from '../../providers/provider.js';

/** The email that needs a provider. */
export interface RequestingEmail {
  readonly id: string;
  /** The provider that may have the email already, because the outcome of its call is unknown. */
  readonly doubtfulProvider: string | null;
  /** The provider that was called last, if one has accepted the email for other recipients. */
  readonly providerOfOthers: string | null;
  readonly message: { readonly organizationId: string };
}

const MAY_HAVE_IT = 'the provider that may have it was deleted, or no longer sends mail of its sender';
const HAS_IT = 'The provider that has it for the other recipients was deleted, or no longer sends mail of its sender';

/**
 * The outcome of an email that no provider may get, because an organization's own one has it, or may have it, and is
 * gone. A second copy through another provider would be certain where the first is only probable. The recipients that
 * are left do not go through the service: whether the sending guard counts an email holds for all of its recipients.
 * @param ids the providers that remain
 * @param areOwn true if they are the organization's own
 */
export function outcomeWithoutProvider(
  { doubtfulProvider, providerOfOthers }: RequestingEmail,
  ids: readonly string[],
  areOwn: boolean,
): DeliveryOutcome | undefined {
  // Own providers have UUIDs; those of the service have names, and an operator decides what replaces them.
  if (doubtfulProvider !== null && isUuid(doubtfulProvider) && !ids.includes(doubtfulProvider))
    return { kind: 'ambiguous', reason: MAY_HAVE_IT };
  if (providerOfOthers !== null && isUuid(providerOfOthers) && !areOwn) return { kind: 'refused', reason: HAS_IT };
  return undefined;
}
