import { isSameSecret, sha256 } from '../encryption/secret-digest.js';
import { BoundedMap } from '../memory/bounded-map.js';

const USER = 'operator';

/** Distinct wrong passwords per network of a client within the window. Repeating one does not count as a new guess. */
const MAX_WRONG_PASSWORDS = 10;
const WINDOW_MS = 60_000;
const MAX_NETWORKS = 1_000;

export type LoginOutcome = 'operator' | 'refused' | 'too-many';

/**
 * Checks operator logins. After too many wrong passwords, a network is locked out for a minute. Operators in other
 * networks are not affected.
 */
export class OperatorLogin {
  /** For each network, the hashes of its wrong passwords and when it sent them. */
  private readonly wrong = new BoundedMap<string, Map<string, number>>(MAX_NETWORKS);

  /** @param now monotonic clock in milliseconds */
  constructor(
    private readonly password: string,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param network of the client, see `clientNetwork` */
  check(authorization: string | undefined, network: string): LoginOutcome {
    if (authorization === undefined) return 'refused';
    const since = this.now() - WINDOW_MS;
    const wrong = new Map([...(this.wrong.get(network) ?? [])].filter(([, at]) => at > since));
    if (wrong.size >= MAX_WRONG_PASSWORDS) return 'too-many';
    if (isOperator(authorization, this.password)) return 'operator';
    this.wrong.set(network, wrong.set(sha256(authorization).toString('base64'), this.now()));
    return 'refused';
  }
}

/** Checks the user and password of an Authorization header (RFC 7617). */
export function isOperator(authorization: string | undefined, password: string): boolean {
  const encoded = /^basic ([a-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return false;
  const given = Buffer.from(encoded, 'base64').toString('utf8');
  return isSameSecret(given, `${USER}:${password}`);
}
