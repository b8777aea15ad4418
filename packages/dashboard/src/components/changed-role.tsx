import { useState } from 'preact/hooks';
import type { Role } from '../session-calls';

/** From the one that may do least. */
const ROLES: readonly Role[] = ['viewer', 'member', 'owner'];

/** Says why the open page no longer offers the same. */
export function ChangedRole({ role }: { readonly role: Role }) {
  const [opened] = useState(role);
  const isRaised = ROLES.indexOf(role) > ROLES.indexOf(opened);
  return (
    <div role="status">
      {role !== opened && (
        <p class="notice warn outdated">
          Your role is now {role}: this page {isRaised ? 'now offers' : 'offers only'} what it allows.
        </p>
      )}
    </div>
  );
}
