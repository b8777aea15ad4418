import { Injectable } from '@nestjs/common';
import { AuditLog, type Author } from '../organizations/audit/record-audit.js';
import { requireCurrentRights } from '../organizations/current-rights.js';
import { lockKnownOrganization } from '../organizations/organizations.js';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { Database, type Sql } from '../platform/database/database.js';
import { toPage, type Page, type PageRequest } from '../platform/http/paging.js';
import { AlreadyAMemberError, LastOwnerError, TooManyUsersError, UserNotFoundError } from './people-errors.js';
import { UserAccounts, type UserAccount } from './user-accounts.js';
import type { UserRole } from './user-roles.js';
import { SELECT_USERS, toUserView, type UserRow, type UserView } from './user-view.js';

/**
 * $1 organization, $2 user, $3 who makes the change. An owner who is only invited may never come, and counts as none:
 * then nobody could change keys or people.
 */
const ROLE = `
select role, exists (
         select from memberships o where o.organization_id = $1 and o.role = 'owner' and o.user_id <> $2
            and (o.joined_at is not null or o.user_id::text = $3)) as "hasOtherOwner"
  from memberships where organization_id = $1 and user_id = $2`;

/** Users of one organization. */
const MAX_USERS = 200;

/** The people of an organization, with their roles. */
@Injectable()
export class People {
  constructor(
    private readonly database: Database,
    private readonly accounts: UserAccounts,
  ) {}

  /** Newest first. */
  async list(organizationId: string, page: PageRequest): Promise<Page<UserView>> {
    const rows = await this.database.query<UserRow>(
      `${SELECT_USERS} where m.organization_id = $1 and ($2::timestamptz is null or (m.created_at, u.id) < ($2, $3::uuid))
        order by m.created_at desc, u.id desc limit $4`,
      [organizationId, page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit + 1],
    );
    return toPage(rows, page.limit, toUserView, (row) => [row.createdAt.toISOString(), row.id]);
  }

  /** @param userId untrusted text. @throws UserNotFoundError */
  async get(organizationId: string, userId: string): Promise<UserView> {
    if (!isUuid(userId)) throw new UserNotFoundError();
    const [row] = await this.database.query<UserRow>(`${SELECT_USERS} where m.organization_id = $1 and u.id = $2`, [
      organizationId,
      userId,
    ]);
    if (!row) throw new UserNotFoundError();
    return toUserView(row);
  }

  /**
   * Adds a user to the organization, and creates the user if there is none.
   * @param email in lower case
   * @throws AlreadyAMemberError, TooManyUsersError
   */
  async add(author: Author, email: string, role: UserRole): Promise<UserAccount> {
    const { organizationId } = author;
    return this.database.transactionOf(organizationId, async (sql) => {
      await lockPeople(sql, author);
      const [{ count } = { count: 0 }] = await sql.query<{ count: number }>(
        'select count(*)::int as count from memberships where organization_id = $1',
        [organizationId],
      );
      if (count >= MAX_USERS) throw new TooManyUsersError(MAX_USERS);
      const account = await this.accounts.provide(sql, email);
      const added = await sql.query(
        `insert into memberships (user_id, organization_id, role) values ($1, $2, $3)
         on conflict do nothing returning user_id`,
        [account.id, organizationId, role],
      );
      if (added.length === 0) throw new AlreadyAMemberError();
      const target = { kind: 'user', id: account.id } as const;
      await AuditLog.record(sql, { ...author, action: 'user.created', target, details: { role } });
      return account;
    });
  }

  /** Counts everywhere within 5 seconds. @throws UserNotFoundError, LastOwnerError */
  async changeRole(author: Author, userId: string, role: UserRole): Promise<void> {
    await this.changeMembership(author, userId, role !== 'owner', async (sql, before) => {
      await sql.query('update memberships set role = $3 where organization_id = $1 and user_id = $2', [
        author.organizationId,
        userId,
        role,
      ]);
      const details = { from: before, to: role };
      const target = { kind: 'user', id: userId } as const;
      if (before !== role) await AuditLog.record(sql, { ...author, action: 'user.role-changed', target, details });
    });
  }

  /**
   * Removes a user from the organization, everywhere within 5 seconds. Deletes a user who is in no other organization.
   * @throws UserNotFoundError, LastOwnerError
   */
  async remove(author: Author, userId: string): Promise<void> {
    await this.changeMembership(author, userId, true, async (sql) => {
      // Otherwise a concurrent invitation elsewhere would be deleted with the user.
      await sql.query('select from users where id = $1 for update', [userId]);
      const ids = [author.organizationId, userId];
      await sql.query('delete from memberships where organization_id = $1 and user_id = $2', ids);
      // Otherwise a later invitation would take their sessions back here before they open it.
      await sql.query('update sessions set organization_id = null where organization_id = $1 and user_id = $2', ids);
      await sql.query(
        'delete from users u where id = $1 and not exists (select from memberships where user_id = u.id)',
        [userId],
      );
      await AuditLog.record(sql, { ...author, action: 'user.deleted', target: { kind: 'user', id: userId } });
    });
  }

  private async changeMembership(
    author: Author,
    userId: string,
    endsOwner: boolean,
    work: (sql: Sql, before: UserRole) => Promise<void>,
  ): Promise<void> {
    const { organizationId, actor } = author;
    if (!isUuid(userId)) throw new UserNotFoundError();
    await this.database.transactionOf(organizationId, async (sql) => {
      await lockPeople(sql, author);
      const [found] = await sql.query<{ role: UserRole; hasOtherOwner: boolean }>(ROLE, [
        organizationId,
        userId,
        actor.id,
      ]);
      if (!found) throw new UserNotFoundError();
      // An operator can give the organization a new owner.
      const isLast = endsOwner && found.role === 'owner' && !found.hasOtherOwner;
      if (isLast && actor.kind !== 'operator') throw new LastOwnerError();
      await work(sql, found.role);
    });
  }
}

/** Serializes changes, so that two concurrent ones cannot remove the last owner or exceed a limit. */
async function lockPeople(sql: Sql, author: Author): Promise<void> {
  // Sessions are cached for seconds after the organization was deleted: no user may be added who would then be left
  // over.
  await lockKnownOrganization(sql, author.organizationId);
  await requireCurrentRights(sql, author);
}
