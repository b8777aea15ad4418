import { KEY_SCOPES, type KeyScope } from '../organizations/key-scopes.js';

export const USER_ROLES = ['owner', 'member', 'viewer'] as const;
export type UserRole = (typeof USER_ROLES)[number];

const SCOPES: Readonly<Record<UserRole, readonly KeyScope[]>> = {
  owner: KEY_SCOPES,
  // Only owners may change keys and people, regardless of scopes: see `OwnersOnly`.
  member: KEY_SCOPES,
  viewer: ['read'],
};

/** The permissions of a signed-in user, as scopes of API keys. */
export function scopesOf(role: UserRole): readonly KeyScope[] {
  return SCOPES[role];
}
