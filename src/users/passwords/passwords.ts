import { Injectable } from '@nestjs/common';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { Database, type Transaction } from '../../platform/database/database.js';
import { PasswordHashing } from './password-hashing.js';
import { requireStrongPassword } from './password-rules.js';
import { Sessions, type NewSession } from '../sessions/sessions.js';
import { SignInRefusedError, WrongSecretError } from '../sign-in/sign-in-errors.js';
import { UserAccounts, type UserAccount } from '../user-accounts.js';
import { UserTokens } from '../user-tokens.js';

class WrongPasswordError extends WrongSecretError {
  constructor() {
    super('The current password is wrong', 'currentPassword');
  }
}

/** Sets passwords. A new one ends every session and every link of the user. */
@Injectable()
export class Passwords {
  constructor(
    private readonly database: Database,
    private readonly accounts: UserAccounts,
    private readonly tokens: UserTokens,
    private readonly hashing: PasswordHashing,
    private readonly sessions: Sessions,
  ) {}

  /** @throws SignInRefusedError for a link that is used, expired or unknown, InvalidFieldError for a weak password */
  async setByLink(token: string, password: string, requestId: string): Promise<void> {
    const account = await this.ownerOf(token);
    requireStrongPassword('password', password, account.email);
    const hash = await this.hashing.hash(password, account.email);
    await this.database.transaction(async (sql) => {
      await this.accounts.lock(sql, account.id);
      if ((await this.tokens.use(sql, token, 'password')) === undefined) throw new SignInRefusedError();
      await this.replace(sql, account, hash, requestId);
    });
  }

  /**
   * @returns a new session, because all others end
   * @throws WrongPasswordError, also for a user without a password, who needs a link; InvalidFieldError;
   *   InvalidSessionError
   */
  async change(
    account: UserAccount,
    current: string,
    next: string,
    { requestId, organizationId, session }: Pick<Caller, 'requestId' | 'organizationId' | 'session'>,
  ): Promise<NewSession> {
    requireStrongPassword('newPassword', next, account.email);
    await this.require(account, current);
    const hash = await this.hashing.hash(next, account.email);
    return this.database.transaction(async (sql) => {
      const { id, passwordHash, sealedTotpSecret } = await this.accounts.lock(sql, account.id);
      if (passwordHash !== account.passwordHash) throw new WrongPasswordError();
      await this.sessions.requireOpen(sql, session!.id);
      await this.replace(sql, account, hash, requestId ?? '');
      return this.sessions.create(sql, id, sealedTotpSecret !== null, organizationId);
    });
  }

  /** @throws WrongPasswordError */
  async require(account: UserAccount, password: string): Promise<void> {
    const find = (): Promise<UserAccount> => Promise.resolve(account);
    const verified = await this.hashing.verify(password, find, { lane: 'known', account: account.email });
    if (!verified) throw new WrongPasswordError();
  }

  /** Hashing takes a third of a second, which a guessed link must not cost. */
  private async ownerOf(token: string): Promise<UserAccount> {
    const userId = await this.tokens.ownerOf(token, 'password');
    if (userId === undefined) throw new SignInRefusedError();
    return this.accounts.get(userId);
  }

  private async replace(sql: Transaction, { id }: UserAccount, hash: string, requestId: string): Promise<void> {
    await this.accounts.setPassword(sql, id, hash);
    await this.sessions.endAllOf(sql, id);
    await this.tokens.endAllOf(sql, id);
    const user = { kind: 'user', id } as const;
    await this.accounts.audit(sql, id, { requestId, actor: user, action: 'user.password-changed', target: user });
  }
}
