import type { Role } from '../session-calls';

const ROLES: Readonly<Record<Role, string>> = {
  owner: 'everything, keys and people too',
  member: 'everything but keys and people',
  viewer: 'reads, and changes nothing',
};

/** The roles with their permissions. */
export function RoleChoice({ role }: { readonly role: Role }) {
  return (
    <fieldset class="stack">
      <legend>Role</legend>
      {Object.entries(ROLES).map(([name, meaning]) => (
        <label key={name} class="inline">
          <input type="radio" name="role" value={name} defaultChecked={name === role} required />
          <span>
            {name} <span class="hint">{meaning}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
