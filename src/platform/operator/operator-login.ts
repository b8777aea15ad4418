import { createHash, timingSafeEqual } from 'node:crypto';

const USER = 'operator';

/** Different wrong passwords that an address may send, and how long each counts. One that is repeated is no guess. */
const MAX_WRONG_PASSWORDS = 10;
const FORGIVEN_AFTER_MS = 60_000;
const MAX_ADDRESSES = 1_000;

export type LoginOutcome = 'operator' | 'refused' | 'too-many';

/**
 * Checks logins of the operator. An address that has sent too many wrong passwords has none compared for a minute; operators at other addresses notice nothing.
 */
export class OperatorLogin {
  /** Per address, hashes of what it sent and when. */
  private readonly wrong = new Map<string, Map<string, number>>();

  /** @param now milliseconds, of a clock that only goes forward */
  constructor(
    private readonly password: string,
    private readonly now: () => number = () => performance.now(),
  ) {}

  judge(authorization: string | undefined, networkAddress: string): LoginOutcome {
    if (authorization === undefined) return 'refused';
    const since = this.now() - FORGIVEN_AFTER_MS;
    const wrong = new Map([...(this.wrong.get(networkAddress) ?? [])].filter(([, at]) => at > since));
    if (wrong.size >= MAX_WRONG_PASSWORDS) return 'too-many';
    if (isOperator(authorization, this.password)) return 'operator';
    this.remember(networkAddress, wrong.set(sha256(authorization).toString('base64'), this.now()));
    return 'refused';
  }

  private remember(networkAddress: string, wrong: Map<string, number>): void {
    this.wrong.delete(networkAddress);
    if (this.wrong.size >= MAX_ADDRESSES) this.wrong.delete(this.wrong.keys().next().value!);
    this.wrong.set(networkAddress, wrong);
  }
}

/**
 * Whether an Authorization header names the operator and the password (RFC 7617). Hashes have one length, so that
 * the comparison takes as long for every guess.
 */
export function isOperator(authorization: string | undefined, password: string): boolean {
  const encoded = /^basic ([a-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return false;
  const given = Buffer.from(encoded, 'base64').toString('utf8');
  return timingSafeEqual(sha256(given), sha256(`${USER}:${password}`));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
