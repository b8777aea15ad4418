import { createHash } from 'node:crypto';

interface Weighted {
  readonly id: string;
  readonly weight?: number;
}

/**
 * The order in which an email tries providers: those with a weight first, each with a chance in proportion to it, then
 * the others as they are listed. The same for every attempt of an email, and removing a provider moves only its own
 * mail (weighted rendezvous hashing).
 * @param key ID of the email
 */
export function orderFor<Provider extends Weighted>(key: string, providers: readonly Provider[]): readonly Provider[] {
  const weighted = providers.filter(({ weight = 0 }) => weight > 0);
  const scores = new Map(weighted.map((provider) => [provider, scoreOf(key, provider)]));
  const others = providers.filter((provider) => !scores.has(provider));
  return [...weighted.sort((one, other) => scores.get(other)! - scores.get(one)!), ...others];
}

/**
 * The providers that an email may try: only the one that may have its first copy, if it is still configured. A provider
 * of the service that is not cannot be tried again.
 */
export function eligibleFor<Provider extends Weighted>(
  doubtfulProvider: string | null,
  providers: readonly Provider[],
): readonly Provider[] {
  const only = providers.filter(({ id }) => id === doubtfulProvider);
  return only.length > 0 ? only : providers;
}

function scoreOf(key: string, { id, weight = 0 }: Weighted): number {
  const hash = createHash('sha256').update(`${key}:${id}`).digest();
  // Between 0 and 1, exclusive.
  const share = (hash.readUInt32BE() + 0.5) / 2 ** 32;
  return -weight / Math.log(share);
}
