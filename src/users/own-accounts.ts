import { Injectable } from '@nestjs/common';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { AuditLog, authorOf, type AuditedChange } from '../organizations/audit/record-audit.js';
import { Database, type Sql } from '../platform/database/database.js';
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
    const { id } = caller.session!;
    await this.database.transaction(async (sql) => {
      await sql.query('delete from sessions where id = $1', [id]);
      await this.recordEnd(sql, caller, { kind: 'session', id });
    });
  }

  async signOutEverywhere(caller: Caller): Promise<void> {
    const { id } = caller.actor;
    await this.database.transaction(async (sql) => {
      await this.sessions.endAllOf(sql, id);
      await this.recordEnd(sql, caller, { kind: 'user', id });
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

  /**
   * In the organizations that recorded the sign-in, and in that of the request, which the user may just have joined.
   */
  private async recordEnd(sql: Sql, caller: Caller, target: AuditedChange['target']): Promise<void> {
    const audited = await this.accounts.auditedOrganizationsOf(caller.actor.id, sql);
    for (const organizationId of new Set([caller.organizationId, ...audited]))
      await AuditLog.record(sql, { ...authorOf(caller), organizationId, action: 'session.ended', target });
  }
}
