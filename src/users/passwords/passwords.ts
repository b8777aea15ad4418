import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../organizations/audit/record-audit.js';
import { Database, type Transaction } from '../../platform/database/database.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { PasswordHashing } from './password-hashing.js';
import { requireStrongPassword } from './password-rules.js';
import { Sessions } from '../sessions/sessions.js';
import { SignInRefusedError } from '../sign-in/sign-in-errors.js';
import { UserAccounts, type UserAccount } from '../user-accounts.js';
import { UserTokens } from '../user-tokens.js';

class WrongPasswordError extends DomainError {
  constructor() {
    super('forbidden', 'The current password is wrong', [
      { field: 'currentPassword', message: 'currentPassword is wrong' },
    ]);
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
    const hash = await this.hashing.hash(password);
    await this.database.transaction(async (sql) => {
      if ((await this.tokens.use(sql, token, 'password')) === undefined) throw new SignInRefusedError();
      await this.replace(sql, account, hash, requestId);
    });
  }

  /** @throws WrongPasswordError, also for a user without a password, who needs a link; InvalidFieldError */
  async change(account: UserAccount, current: string, next: string, requestId: string): Promise<void> {
    requireStrongPassword('newPassword', next, account.email);
    await this.require(account, current);
    const hash = await this.hashing.hash(next);
    await this.database.transaction((sql) => this.replace(sql, account, hash, requestId));
  }

  /** @throws WrongPasswordError */
  async require({ passwordHash }: UserAccount, password: string): Promise<void> {
    if (!(await this.hashing.verify(password, passwordHash, 'known'))) throw new WrongPasswordError();
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
    for (const organization of await this.accounts.organizationsOf(id, sql)) {
      await AuditLog.record(sql, {
        ...{ organizationId: organization.id, requestId, actor: { kind: 'user', id } },
        ...{ action: 'user.password-changed', target: { kind: 'user', id } },
      });
    }
  }
}
