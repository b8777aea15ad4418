import { Injectable } from '@nestjs/common';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { AuditLog, authorOf } from '../organizations/audit/record-audit.js';
import { Database } from '../platform/database/database.js';
import { DomainError } from '../platform/errors/domain-error.js';
import { Passwords } from './passwords/passwords.js';
import { Sessions } from './sessions/sessions.js';
import { SignInLimits } from './sign-in/sign-in-limits.js';
import type { SignedIn } from './sign-in/sign-in.js';
import { UserAccounts } from './user-accounts.js';

class NotYourOrganizationError extends DomainError {
  constructor() {
    super('forbidden', 'You are not in this organization');
  }
}

/** Changes that signed-in users make to their own account. */
@Injectable()
export class OwnAccounts {
  constructor(
    private readonly database: Database,
    private readonly accounts: UserAccounts,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly limits: SignInLimits,
  ) {}

  /** @throws NotYourOrganizationError */
  async chooseOrganization({ actor, session }: Caller, organizationId: string): Promise<void> {
    const organizations = await this.accounts.organizationsOf(actor.id);
    if (!organizations.some(({ id }) => id === organizationId)) throw new NotYourOrganizationError();
    await this.sessions.choose(session!.id, organizationId);
  }

  async signOut(caller: Caller): Promise<void> {
    await this.database.transaction(async (sql) => {
      await sql.query('delete from sessions where id = $1', [caller.session!.id]);
      const target = { kind: 'session', id: caller.session!.id };
      await AuditLog.record(sql, { ...authorOf(caller), action: 'session.ended', target });
    });
  }

  async signOutEverywhere(caller: Caller): Promise<void> {
    await this.database.transaction(async (sql) => {
      await this.sessions.endAllOf(sql, caller.actor.id);
      const target = { kind: 'user', id: caller.actor.id };
      await AuditLog.record(sql, { ...authorOf(caller), action: 'session.ended', target });
    });
  }

  /**
   * Returns a new session, because all others end. Wrong passwords are limited, so that a stolen session does not help
   * to guess it.
   * @throws TooManyRequestsError, WrongPasswordError, InvalidFieldError
   */
  async changePassword(caller: Caller, current: string, next: string): Promise<SignedIn> {
    const account = await this.accounts.get(caller.actor.id);
    const session = await this.limits.whileRight(account.id, () =>
      this.passwords.change(account, current, next, caller),
    );
    return { account, session };
  }
}
