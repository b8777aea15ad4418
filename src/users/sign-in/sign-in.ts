import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../platform/database/database.js';
import type { HashLane } from '../passwords/password-hashing.js';
import { PasswordHashing } from '../passwords/password-hashing.js';
import { SessionOpening } from '../sessions/session-opening.js';
import type { NewSession } from '../sessions/sessions.js';
import { SignInRefusedError } from './sign-in-errors.js';
import { SignInLimits } from './sign-in-limits.js';
import { UserAccounts, type UserAccount } from '../user-accounts.js';
import { UserTokens } from '../user-tokens.js';

export interface SignedIn {
  readonly account: UserAccount;
  readonly session: NewSession;
}

/** Fields that every way to sign in needs. */
export interface SignInDetails {
  /** A code of the user's authenticator app, or a recovery code. */
  readonly code: string | undefined;
  readonly requestId: string;
}

/** Signs users in by password or by a link, both with a code if the user has a second factor. */
@Injectable()
export class SignIn {
  constructor(
    private readonly database: Database,
    private readonly accounts: UserAccounts,
    private readonly tokens: UserTokens,
    private readonly passwords: PasswordHashing,
    private readonly opening: SessionOpening,
    private readonly limits: SignInLimits,
  ) {}

  /**
   * @param email in lower case
   * @throws SignInRefusedError, CodeRequiredError, TooManySignInsError
   */
  async withPassword(
    email: string,
    password: string,
    lane: HashLane,
    { code, requestId }: SignInDetails,
  ): Promise<SignedIn> {
    const account = await this.passwords.verify(password, () => this.accounts.find(email), { lane, account: email });
    if (!account) throw new SignInRefusedError();
    return this.database.transaction(async (sql) => {
      const current = await this.accounts.lock(sql, account.id);
      // The password was changed while its hash was computed.
      if (current.passwordHash !== account.passwordHash) throw new SignInRefusedError();
      return { account: current, session: await this.opening.open(sql, current, code, requestId) };
    });
  }

  /**
   * The link stays valid while the code is missing or wrong.
   * @throws SignInRefusedError, CodeRequiredError, TooManyRequestsError
   */
  async withLink(token: string, { code, requestId }: SignInDetails): Promise<SignedIn> {
    const userId = await this.tokens.ownerOf(token, 'sign-in');
    if (userId === undefined) throw new SignInRefusedError();
    const open = async (sql: Transaction): Promise<SignedIn> => {
      const account = await this.accounts.lock(sql, userId);
      if ((await this.tokens.use(sql, token, 'sign-in')) === undefined) throw new SignInRefusedError();
      return { account, session: await this.opening.open(sql, account, code, requestId) };
    };
    return this.limits.whileCodeIsRight(userId, () => this.database.transaction(open));
  }
}
