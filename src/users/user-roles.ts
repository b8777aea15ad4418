import { KEY_SCOPES, type KeyScope } from '../organizations/key-scopes.js';

export const USER_ROLES = ['owner', 'member', 'viewer'] as const;
export type UserRole = (typeof USER_ROLES)[number];

const SCOPES: Readonly<Record<UserRole, readonly KeyScope[]>> = {
  owner: KEY_SCOPES,
  // Keys and people are for owners, whatever the scopes: see `OwnersOnly`.
  member: KEY_SCOPES,
  viewer: ['read'],
};

/** What a signed-in user may do, in the terms of API keys. */
export function scopesOf(role: UserRole): readonly KeyScope[] {
  return SCOPES[role];
}
