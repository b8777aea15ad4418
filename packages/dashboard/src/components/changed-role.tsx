import { useState } from 'preact/hooks';
import type { Role } from '../session-calls';

/** Says why the open page no longer offers the same. */
export function ChangedRole({ role }: { readonly role: Role }) {
  const [opened] = useState(role);
  return (
    <div role="status">
      {role !== opened && (
        <p class="notice warn outdated">Your role is now {role}: this page offers only what it allows.</p>
      )}
    </div>
  );
}
