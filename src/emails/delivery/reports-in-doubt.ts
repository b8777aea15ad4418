import type { Mailbox } from '../../providers/provider.js';
import { addressKey } from '../mailbox.js';

/** What is stored about the recipients of an email. */
export interface KnownRecipients {
  /** True if the outcome of an attempt is unknown. */
  readonly isInDoubt: boolean;
  /** The provider's ID from an earlier attempt that it accepted for some recipients. */
  readonly providerId: string | null;
  /** Recipients who have the email, or do not get it. */
  readonly settled: readonly string[];
  /** As `isLeftInDoubt` and `isReachedInDoubt`. */
  readonly leftInDoubt: readonly string[];
  readonly reachedInDoubt: readonly string[];
  /** As `provesSharedMessage`. */
  readonly proof: readonly string[];
  /** True if a recipient has the email. */
  readonly isReached: boolean;
}

interface Addressed {
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
}

interface RemainingRecipients {
  /** The recipients of the next attempt. Of a `reported` email, those to be recorded as reached. */
  readonly addresses: readonly string[];
  /** Those without a result whom an attempt with an unknown outcome has reached, unless the email is `reported`. */
  readonly proven: readonly string[];
  /** True if reports show that an attempt with an unknown outcome reached all of them. */
  readonly reported: boolean;
  readonly isReached: boolean;
  /** True if each of them may get a separate message, as several hidden recipients do (`copiesOf`). */
  readonly areSeparate: boolean;
}

/** Decides what reports say about recipients in doubt, and who is left. */
export function remainingRecipients(known: KnownRecipients, { to, cc, bcc }: Addressed): RemainingRecipients {
  const [settled, left, reached, proof] = [known.settled, known.leftInDoubt, known.reachedInDoubt, known.proof].map(
    (addresses) => new Set(addresses.map(addressKey)),
  ) as [Set<string>, Set<string>, Set<string>, Set<string>];
  // Those whom an attempt before the retry reached, or who were refused, are left out of the message.
  const getsIt = ({ address }: Mailbox): boolean => !settled.has(addressKey(address)) || proof.has(addressKey(address));
  const areSeparate = ![...to, ...cc].some(getsIt) && bcc.filter(getsIt).length > 1;
  const unsettled = [...to, ...cc, ...bcc]
    .map(({ address }) => address)
    .filter((address) => !settled.has(addressKey(address)));
  const { isInDoubt, isReached } = known;
  if (!isInDoubt) return { addresses: unsettled, proven: [], reported: false, isReached, areSeparate };
  const isProven = (key: string): boolean => reached.has(key) || (proof.size > 0 && !areSeparate && !left.has(key));
  const remaining = unsettled.filter((address) => !isProven(addressKey(address)));
  const hasReport = reached.size > 0 || (known.providerId === null && isReached);
  const reported = hasReport && remaining.length === 0;
  return {
    addresses: reported ? unsettled : remaining,
    proven: reported ? [] : unsettled.filter((address) => !remaining.includes(address)),
    reported,
    isReached: isReached || reached.size > 0,
    areSeparate,
  };
}
