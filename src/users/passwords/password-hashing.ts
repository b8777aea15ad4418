import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { KeyCounts } from '../../platform/memory/key-counts.js';
import { hashPassword, impossibleHash, verifyPassword } from './password-hash.js';

/** Waiting sign-ins beyond this number would take longer than a client waits. */
const MAX_WAITING = 20;
/** Places of one account in a lane: more would let one user fill it, because correct sign-ins are not limited. */
const MAX_PER_ACCOUNT = 2;

/**
 * `known` is for browsers in which the user has signed in before, `unknown` for all other browsers, so that a flood of
 * guesses does not lock out users.
 */
export type HashLane = 'known' | 'unknown';

/** What a hash is for. */
interface HashUse {
  readonly lane: HashLane;
  /** Email address, whether or not there is a user. */
  readonly account: string;
}

interface HasPassword {
  readonly passwordHash: string | null;
}

class TooManySignInsError extends DomainError {
  override readonly retryAfterSeconds = 5;

  constructor() {
    super('unavailable', 'Too many sign-ins are in progress: try again in a few seconds');
  }
}

/** One after the other. */
class Lane {
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private readonly places = new KeyCounts();

  /** @throws TooManySignInsError */
  async run<Result>(account: string, work: () => Promise<Result>): Promise<Result> {
    if (this.waiting >= MAX_WAITING || this.places.countOf(account) >= MAX_PER_ACCOUNT) throw new TooManySignInsError();
    this.waiting++;
    this.places.add(account, 1);
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return result.finally(() => this.leave(account));
  }

  private leave(account: string): void {
    this.waiting--;
    this.places.add(account, -1);
  }
}

/**
 * Hashes passwords outside the main thread, at most two at a time: each takes 128 MB, a third of a second of a core and
 * one of the threads that the rest of the process shares (`UV_THREADPOOL_SIZE`).
 */
@Injectable()
export class PasswordHashing {
  private readonly lanes: Readonly<Record<HashLane, Lane>> = { known: new Lane(), unknown: new Lane() };
  private readonly logN: number | undefined;
  private readonly impossible: string;

  constructor(@Inject(SETTINGS) { PASSWORD_LOG_N }: Pick<RunSettings, 'PASSWORD_LOG_N'>) {
    this.logN = PASSWORD_LOG_N;
    this.impossible = impossibleHash(PASSWORD_LOG_N);
  }

  /** @throws TooManySignInsError */
  hash(password: string, account: string): Promise<string> {
    return this.lanes.known.run(account, () => hashPassword(password, this.logN));
  }

  /**
   * Takes the same time for a user without a password or without an account.
   * @param find runs in the turn of the hash: so a flood of sign-ins uses one connection to Postgres, and
   * those that are
   *   refused use none
   * @returns who was found, if that is their password
   * @throws TooManySignInsError
   */
  verify<User extends HasPassword>(
    password: string,
    find: () => Promise<User | undefined>,
    { lane, account }: HashUse,
  ): Promise<User | undefined> {
    return this.lanes[lane].run(account, async () => {
      const user = await find();
      const isRight = await verifyPassword(password, user?.passwordHash ?? this.impossible);
      return isRight && typeof user?.passwordHash === 'string' ? user : undefined;
    });
  }
}
