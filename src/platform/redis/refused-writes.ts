/**
 * Redis is no writable primary, or cannot keep what is written. Errors from scripts have the code after a
 * dash (Redis 6).
 */
const UNWRITABLE: readonly [pattern: RegExp, reason: string][] = [
  [/(^|-)(READONLY|MOVED) /, 'redis is a read only replica'],
  [/(^|-)LOADING /, 'redis is loading its data'],
  [/(^|-)MASTERDOWN /, 'redis has lost its primary'],
  [/(^|-)CLUSTERDOWN /, 'the redis cluster is down'],
  [/(^|-)NOREPLICAS /, 'redis has too few replicas'],
  [/(^|-)MISCONF /, 'redis cannot write to its disk'],
];
const REFUSALS: typeof UNWRITABLE = [
  ...UNWRITABLE,
  [/(^|-)OOM /, 'redis is full'],
  [/(^|-)(NOPERM|NOAUTH|WRONGPASS)/, 'redis denies access'],
];

/** In words for an operator, why Redis refused a command; undefined if the message of its error does not say so. */
export function refusalReason(message: string): string | undefined {
  return REFUSALS.find(([pattern]) => pattern.test(message))?.[1];
}

/** True for errors of a Redis that refuses every write. A full one still accepts some, and rights are per command. */
export function refusesAllWrites(message: string): boolean {
  return UNWRITABLE.some(([pattern]) => pattern.test(message));
}

/** True for errors of a Redis that knows neither the user nor its password, or none that the settings name. */
export function refusesLogin(message: string): boolean {
  return /^(NOAUTH|WRONGPASS) /.test(message);
}
