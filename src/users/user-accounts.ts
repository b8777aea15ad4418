import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock/clock.js';
import { uuidV7 } from '../platform/clock/uuid-v7.js';
import { InvalidSessionError } from '../organizations/key-check.js';
import { Database, type Sql } from '../platform/database/database.js';
import type { UserRole } from './user-roles.js';

/** The fields of a user that a sign-in needs. */
export interface UserAccount {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string | null;
  /** Null unless the user has confirmed a second factor. */
  readonly sealedTotpSecret: string | null;
  readonly oidcSubject: string | null;
}

export interface OrganizationRole {
  readonly id: string;
  readonly name: string;
  readonly role: UserRole;
}

const COLUMNS = `id, email, password_hash as "passwordHash", oidc_subject as "oidcSubject",
  case when totp_confirmed_at is not null then sealed_totp_secret end as "sealedTotpSecret"`;

/** The people who can sign in, independent of their roles. */
@Injectable()
export class UserAccounts {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param email in lower case */
  async find(email: string, sql: Sql = this.database): Promise<UserAccount | undefined> {
    const [account] = await sql.query<UserAccount>(`select ${COLUMNS} from users where email = $1`, [email]);
    return account;
  }

  async get(id: string, sql: Sql = this.database): Promise<UserAccount> {
    const [account] = await sql.query<UserAccount>(`select ${COLUMNS} from users where id = $1`, [id]);
    // Removed while a request of the session was in progress.
    if (!account) throw new InvalidSessionError();
    return account;
  }

  /** Finds the user, or creates one who cannot sign in before setting a password. @param email in lower case */
  async provide(sql: Sql, email: string): Promise<UserAccount> {
    const id = uuidV7(this.clock.now());
    await sql.query('insert into users (id, email) values ($1, $2) on conflict (email) do nothing', [id, email]);
    return (await this.find(email, sql))!;
  }

  /** The organization that the user joined first comes first, invitations last. */
  organizationsOf(userId: string, sql: Sql = this.database): Promise<OrganizationRole[]> {
    return sql.query<OrganizationRole & Record<string, unknown>>(
      `select o.id, o.name, m.role from memberships m join organizations o on o.id = m.organization_id
        where m.user_id = $1 order by m.joined_at is null, m.created_at, o.id`,
      [userId],
    );
  }

  async setPassword(sql: Sql, userId: string, passwordHash: string): Promise<void> {
    await sql.query('update users set password_hash = $2 where id = $1', [userId, passwordHash]);
  }
}
