import { Injectable } from '@nestjs/common';
import { personHash } from '../contacts/erasure/person-hash.js';
import { InvalidSessionError } from '../organizations/access-errors.js';
import { AuditLog, type AuditedChange, type Author } from '../organizations/audit/record-audit.js';
import { Database, type Sql, type Transaction } from '../platform/database/database.js';
import { NIL_UUID } from '../platform/database/nil-uuid.js';
import type { UserRole } from './user-roles.js';

/** The fields of a user that a sign-in needs. */
export interface UserAccount {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string | null;
  /** Null unless the user has confirmed a second factor. */
  readonly sealedTotpSecret: string | null;
}

export interface OrganizationRole {
  readonly id: string;
  readonly name: string;
  readonly role: UserRole;
}

const COLUMNS = `id, email, password_hash as "passwordHash",
  case when totp_confirmed_at is not null then sealed_totp_secret end as "sealedTotpSecret"`;

/**
 * Whether an organization may learn what happens to a member's account. An invitation reveals nothing about an account
 * that the user has in other organizations. For a membership `m`.
 */
export const SHOWS_ACCOUNT = `(m.joined_at is not null or not exists (
  select from memberships o where o.user_id = m.user_id and o.organization_id <> m.organization_id))`;

/** An arbitrary number that distinguishes these advisory locks from others. */
const NEW_USERS = 7_164_231;

/** The people who can sign in, independent of their roles. */
@Injectable()
export class UserAccounts {
  constructor(private readonly database: Database) {}

  /** @param email in lower case */
  async find(email: string): Promise<UserAccount | undefined> {
    const [account] = await this.database.query<UserAccount>(`select ${COLUMNS} from users where email = $1`, [email]);
    return account;
  }

  async get(id: string): Promise<UserAccount> {
    const [account] = await this.database.query<UserAccount>(`select ${COLUMNS} from users where id = $1`, [id]);
    // Removed while a request of the session was in progress.
    if (!account) throw new InvalidSessionError();
    return account;
  }

  /**
   * Locks the user until the transaction ends, before its sessions and links. A sign-in and a change of the password
   * wait for each other, so that a new password ends every session that was opened with the old one.
   */
  async lock(sql: Transaction, id: string): Promise<UserAccount> {
    const [account] = await sql.query<UserAccount>(`select ${COLUMNS} from users where id = $1 for no key update`, [
      id,
    ]);
    if (!account) throw new InvalidSessionError();
    return account;
  }

  /**
   * Finds the user, or creates one who cannot sign in before setting a password. Waits for a concurrent deletion.
   * @param email in lower case
   */
  async provide(sql: Sql, email: string): Promise<UserAccount> {
    // Postgres resolves a conflict of the address only: a concurrent invitation of the same person has the
    // same ID, too.
    await sql.query(`select pg_advisory_xact_lock(${NEW_USERS}, hashtext($1))`, [email]);
    const [account] = await sql.query<UserAccount>(
      `insert into users (id, email) values ($1, $2)
       on conflict (email) do update set email = excluded.email returning ${COLUMNS}`,
      [await idOf(sql, email), email],
    );
    return account!;
  }

  /** The organization that the user joined first comes first, invitations last. */
  organizationsOf(userId: string, sql: Sql = this.database): Promise<OrganizationRole[]> {
    return sql.query<OrganizationRole & Record<string, unknown>>(
      `select o.id, o.name, m.role from memberships m join organizations o on o.id = m.organization_id
        where m.user_id = $1 order by m.joined_at is null, m.created_at, o.id`,
      [userId],
    );
  }

  /** IDs of the organizations whose audit logs record what happens to the account. */
  async auditedOrganizationsOf(userId: string, sql: Sql): Promise<string[]> {
    const rows = await sql.query<{ id: string }>(
      `select organization_id as id from memberships m where user_id = $1 and ${SHOWS_ACCOUNT} order by organization_id`,
      [userId],
    );
    return rows.map(({ id }) => id);
  }

  /** Records a change of the account in each of these logs. */
  async audit(sql: Sql, userId: string, change: Pick<Author, 'actor' | 'requestId'> & AuditedChange): Promise<void> {
    for (const organizationId of await this.auditedOrganizationsOf(userId, sql))
      await AuditLog.record(sql, { ...change, organizationId });
  }

  async setPassword(sql: Sql, userId: string, passwordHash: string): Promise<void> {
    await sql.query('update users set password_hash = $2 where id = $1', [userId, passwordHash]);
  }
}

/**
 * The ID of a new user. Someone who is removed everywhere and invited again gets the same one: a new one would show
 * that they are in no other organization. A keyed hash (UUIDv8, RFC 9562, 5.8) shows neither the address nor a time.
 */
async function idOf(sql: Sql, email: string): Promise<string> {
  const hash = await personHash(sql, NIL_UUID, email);
  const groups = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`];
  return [...groups, hash.slice(20, 32)].join('-');
}
