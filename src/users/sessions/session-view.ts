import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { InvalidSessionError } from '../../organizations/access-errors.js';
import { suspensionOf, type Caller } from '../../organizations/api-key-authenticator.js';
import type { KeyScope } from '../../organizations/key-scopes.js';
import { scopesOf } from '../user-roles.js';
import { UserAccounts, type OrganizationRole } from '../user-accounts.js';

export interface SessionView {
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly hasPassword: boolean;
    /** Whether signing in needs a code. */
    readonly secondFactor: boolean;
  };
  /** The organization to which requests of this session apply. */
  readonly organization: OrganizationRole;
  /** The user's scopes in it. */
  readonly scopes: readonly KeyScope[];
  /** Why an operator suspended it; null if it is not suspended. */
  readonly suspended: string | null;
  /** All organizations of the user, in the order of joining. */
  readonly organizations: readonly OrganizationRole[];
  readonly createdAt: string;
  readonly expiresAt: string;
}

interface SessionTimes {
  userId: string;
  organizationId: string | null;
  createdAt: Date;
  expiresAt: Date;
}

type Suspension = Pick<Caller, 'suspended' | 'pauseReason'> & Record<string, unknown>;

/** Builds the responses about sessions. */
@Injectable()
export class SessionViews {
  constructor(
    private readonly database: Database,
    private readonly accounts: UserAccounts,
  ) {}

  /** @param caller the user and the organization of the request, if it was authenticated by the session */
  async of(sessionId: string, caller?: Caller): Promise<SessionView> {
    const [session] = await this.database.query<SessionTimes & Record<string, unknown>>(
      `select user_id as "userId", organization_id as "organizationId", created_at as "createdAt",
              expires_at as "expiresAt" from sessions where id = $1`,
      [sessionId],
    );
    // It ended while its request was in progress, or within the seconds for which sessions are cached.
    if (!session) throw new InvalidSessionError();
    const account = await this.accounts.get(session.userId);
    const organizations = await this.accounts.organizationsOf(session.userId);
    const wanted = caller?.organizationId ?? session.organizationId;
    const organization = organizations.find(({ id }) => id === wanted) ?? organizations[0]!;
    const { id, email, passwordHash, sealedTotpSecret } = account;
    return {
      user: { id, email, hasPassword: passwordHash !== null, secondFactor: sealedTotpSecret !== null },
      organization,
      scopes: scopesOf(organization.role),
      // As in the other responses of this process, which can know it some seconds late.
      suspended:
        caller?.organizationId === organization.id ? suspensionOf(caller) : await this.readSuspension(organization.id),
      organizations,
      createdAt: session.createdAt.toISOString(),
      expiresAt: session.expiresAt.toISOString(),
    };
  }

  private async readSuspension(organizationId: string): Promise<string | null> {
    const [guard] = await this.database.query<Suspension>(
      `select suspended, reason as "pauseReason" from sending_guards where organization_id = $1 and state = 'paused'`,
      [organizationId],
    );
    return guard ? suspensionOf(guard) : null;
  }
}
