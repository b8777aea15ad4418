import type { Database } from '../../src/platform/database/database.js';
import {
  FUNCTION_RIGHTS,
  SEQUENCE_RIGHTS,
  TABLE_RIGHTS,
  type ProcessRole,
} from '../../src/platform/database/process-rights.js';

/** The rights of this login according to the system catalog, without those of PUBLIC. */
export async function grantedTo(database: Database, login: string): Promise<string[]> {
  const rows = await database.query<{ granted: string }>(
    `select lower(privilege_type) || ' on ' || relname as granted from pg_class, aclexplode(relacl)
      where grantee = $1::regrole and relkind <> 'S'
     union all
     select lower(privilege_type) || ' (' || attname || ') on ' || attrelid::regclass
       from pg_attribute, aclexplode(attacl) where grantee = $1::regrole
     union all
     select lower(privilege_type) || ' on sequence ' || relname from pg_class, aclexplode(relacl)
      where grantee = $1::regrole and relkind = 'S'
     union all
     select lower(privilege_type) || ' on function ' || proname || '(' || pg_get_function_identity_arguments(pg_proc.oid) || ')'
       from pg_proc, aclexplode(proacl) where grantee = $1::regrole`,
    [login],
  );
  return rows.map((row) => row.granted).sort();
}

/** The same rights according to the list in the product. */
export function listedFor(role: ProcessRole): string[] {
  const rights: string[] = [];
  for (const [table, { [role]: text = '' }] of Object.entries(TABLE_RIGHTS)) {
    for (const [, right, columns] of text.matchAll(/(\w+)(?: \(([^)]+)\))?/g)) {
      if (columns === undefined) rights.push(`${right} on ${table}`);
      else rights.push(...columns.split(', ').map((column) => `${right} (${column}) on ${table}`));
    }
  }
  for (const [sequence, roles] of Object.entries(SEQUENCE_RIGHTS))
    if (roles.includes(role)) rights.push(`usage on sequence ${sequence}`);
  for (const [name, roles] of Object.entries(FUNCTION_RIGHTS))
    if (roles.includes(role)) rights.push(`execute on function ${name}`);
  return rights.sort();
}
