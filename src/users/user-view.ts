import { SHOWS_ACCOUNT } from './user-accounts.js';
import type { UserRole } from './user-roles.js';

/** A user in the list of an organization. */
export interface UserView {
  readonly id: string;
  readonly email: string;
  readonly role: UserRole;
  /** False while an invited user has neither set a password nor signed in, or has not opened this organization yet. */
  readonly isActive: boolean;
  readonly secondFactor: boolean;
  readonly createdAt: string;
  readonly lastSeenAt: string | null;
}

export interface InvitedUser extends UserView {
  /** True if an email was sent to the user. */
  readonly mailed: boolean;
}

export interface UserRow extends Record<string, unknown> {
  id: string;
  email: string;
  role: UserRole;
  isActive: boolean;
  secondFactor: boolean;
  createdAt: Date;
  lastSeenAt: Date | null;
}

/** Users with their roles: a membership `m`, its user `u`. */
export const SELECT_USERS = `select u.id, u.email, m.role, m.created_at as "createdAt",
       account.is_shown and u.totp_confirmed_at is not null as "secondFactor", s.last_seen_at as "lastSeenAt",
       account.is_shown
         and (u.password_hash is not null or u.oidc_subject is not null or s.last_seen_at is not null) as "isActive"
  from memberships m join users u on u.id = m.user_id
  cross join lateral (select ${SHOWS_ACCOUNT} as is_shown) account
  left join lateral (
    select max(last_seen_at) as last_seen_at from sessions where user_id = u.id and account.is_shown) s on true`;

export function toUserView({ createdAt, lastSeenAt, ...row }: UserRow): UserView {
  const { id, email, role, isActive, secondFactor } = row;
  return {
    ...{ id, email, role, isActive, secondFactor },
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
  };
}
