import { Injectable } from '@nestjs/common';
import type { Sql, Transaction } from '../../platform/database/database.js';
import { SecondFactor } from '../second-factor/second-factor.js';
import { Sessions, type NewSession } from './sessions.js';
import { CodeRequiredError, SignInRefusedError } from '../sign-in/sign-in-errors.js';
import { UserAccounts, type UserAccount } from '../user-accounts.js';

/** The last steps of every sign-in. */
@Injectable()
export class SessionOpening {
  constructor(
    private readonly accounts: UserAccounts,
    private readonly factors: SecondFactor,
    private readonly sessions: Sessions,
  ) {}

  /**
   * Opens a session for a user who is identified, except for the code.
   * @param account locked, as it is now
   * @throws CodeRequiredError
   * @throws SignInRefusedError for a wrong code, or a user without an organization
   */
  async open(sql: Transaction, account: UserAccount, code: string | undefined, requestId: string): Promise<NewSession> {
    const { id, sealedTotpSecret } = account;
    const organizations = await this.accounts.organizationsOf(id, sql);
    if (organizations.length === 0) throw new SignInRefusedError();
    await this.requireCode(sql, account, code);
    const session = await this.sessions.create(sql, id, sealedTotpSecret !== null);
    const target = { kind: 'session', id: session.id } as const;
    await this.accounts.audit(sql, id, { requestId, actor: { kind: 'user', id }, action: 'session.created', target });
    return session;
  }

  private async requireCode(sql: Sql, { id, sealedTotpSecret }: UserAccount, code: string | undefined): Promise<void> {
    if (sealedTotpSecret === null) return;
    if (code === undefined) throw new CodeRequiredError();
    if (!(await this.factors.use(sql, id, sealedTotpSecret, code))) throw new SignInRefusedError();
  }
}
