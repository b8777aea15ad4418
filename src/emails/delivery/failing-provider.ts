import { abortAfter } from '../../platform/clock/with-deadline.js';
import type { DeliveryOutcome } from '../../providers/provider.js';
import { providerPauseAfter } from './delivery-policy.js';
import type { RequestingEmail } from './gone-provider.js';
import type { ProviderInUse } from './provider-in-use.js';
import type { ProbingEmail } from './provider-pause-scripts.js';

/** Why an email waits for a failing provider. */
export const FAILING = 'The provider leaves open whether it accepts emails';

/** A provider that takes longer to refuse a call without an email does not work. */
const REFUSAL_MS = 10_000;
/** When an email that waits for others asks again: they may have found out that the provider works. */
export const ASK_AGAIN_MS = 15_000;
/** When an email is tried again that a suspect provider did not get. */
const SUSPECT_MS = 1_000;

/**
 * What a provider that works may respond to a call without an email. It may also refuse the credential: a key that may
 * send for one sender only is refused without a sender. An email that is refused so is certainly not accepted.
 */
const SHOWS_THAT_IT_WORKS: ReadonlySet<DeliveryOutcome['kind']> = new Set([
  'refused',
  'accepted',
  'credential-refused',
]);

/**
 * Keeps emails from a failing provider, except for the one that finds out whether it works again. Before that one is
 * passed, a call without an email shows what it can, so that few emails are in doubt. Such a call does not end the
 * pause: a provider may refuse what is wrong and yet fail with what is right. The reverse is possible, too, so one turn
 * in ten is for an email in any case.
 * @returns 0 if the email may be passed; otherwise how many milliseconds it waits
 */
export async function keptFromFailing(
  inUse: ProviderInUse,
  { doubtfulProvider, message: { organizationId } }: RequestingEmail,
  signal: AbortSignal,
): Promise<number> {
  const { pause } = inUse;
  const email = { organizationId, isInDoubt: doubtfulProvider !== null };
  if (pause.failure.isSuspect) return keptFromSuspect(inUse, email, signal);
  if (!pause.failure.isFailing) return 0;
  const { waitMs, isForEmail } = await pause.failure.probe(email);
  if (waitMs > 0) return Math.min(waitMs, ASK_AGAIN_MS);
  if (isForEmail || !pause.failure.isFailing) return 0;
  const outcome = await callWithoutEmail(inUse, signal);
  if (!outcome || SHOWS_THAT_IT_WORKS.has(outcome.kind)) return 0;
  const begins = providerPauseAfter(outcome);
  if (begins) await pause.begin(begins.milliseconds, begins.cause);
  return Math.max(1, await pause.remainingMs());
}

/**
 * Calls a suspect provider without the email first: if it has begun to fail, the email does not come into doubt. The
 * last call before a pause is made with an email in any case, because a provider may work and yet fail with the others.
 * An email in doubt is not risked for that.
 */
async function keptFromSuspect(
  inUse: ProviderInUse,
  { organizationId, isInDoubt }: ProbingEmail,
  signal: AbortSignal,
): Promise<number> {
  const { pause } = inUse;
  if (pause.failure.isNearlyFailing && !isInDoubt) return 0;
  const outcome = await callWithoutEmail(inUse, signal);
  if (outcome?.kind !== 'ambiguous') return 0;
  // An email that was accepted meanwhile proves more.
  if (!pause.failure.isSuspect) return 0;
  await pause.failure.outcomeUnknown(organizationId);
  return SUSPECT_MS;
}

/** @returns undefined if the provider offers no such call */
async function callWithoutEmail(
  { provider }: ProviderInUse,
  signal: AbortSignal,
): Promise<DeliveryOutcome | undefined> {
  return abortAfter(REFUSAL_MS, async (late) => provider.callWithoutEmail?.(AbortSignal.any([signal, late])));
}
