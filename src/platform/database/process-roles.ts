import type { Sql } from './database.js';
import { FUNCTION_RIGHTS, PROCESS_ROLES, SEQUENCE_RIGHTS, TABLE_RIGHTS, type ProcessRole } from './process-rights.js';

/** The role of a process in Postgres. */
interface DatabaseRole {
  readonly name: string;
  /** The name as a quoted identifier. */
  readonly quoted: string;
}

/** One right, as the catalog reports it. */
interface Right {
  readonly kind: 'schema' | 'table' | 'column' | 'sequence' | 'function';
  readonly object: string;
  readonly column: string;
  readonly right: string;
}

/**
 * The roles of processes in this database, such as `mailbeacon_worker` in the database `mailbeacon`. All databases of a
 * server share its roles, so two installations on it have different ones.
 */
const ROLES = `
select process, name, quote_ident(name) as quoted, exists (select from pg_roles where rolname = name) as exists,
       (select rolcreaterole or rolsuper from pg_roles where rolname = current_user) as "mayCreate"
  from (select process, left(current_database(), 50) || '_' || process as name
          from unnest($1::text[]) as process) named`;

const MISSING = `
select kind, object, "column", "right" from unnest($2::text[], $3::text[], $4::text[], $5::text[])
    as wanted (kind, object, "column", "right")
 where not case kind
   when 'schema' then has_schema_privilege($1, object, "right")
   when 'table' then has_table_privilege($1, object, "right")
   when 'column' then has_column_privilege($1, object, "column", "right")
   when 'sequence' then has_sequence_privilege($1, object, "right")
   else has_function_privilege($1, object, "right") end`;

const PUBLIC_FUNCTIONS = `
select name from unnest($1::text[]) as name join pg_proc on pg_proc.oid = name::regprocedure
 where exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) where grantee = 0)`;

/**
 * Creates the role of each process, if this login may, and grants missing rights to the roles that exist. The roles
 * cannot log in. Runs after every migration, so that rights cover new tables. Idempotent: if nothing is missing,
 * nothing changes.
 * @returns the roles that exist, by process
 */
export async function provideProcessRoles(sql: Sql): Promise<Map<ProcessRole, DatabaseRole>> {
  type Found = DatabaseRole & { process: ProcessRole; exists: boolean; mayCreate: boolean };
  const found = await sql.query<Found>(ROLES, [PROCESS_ROLES]);
  // A restored backup may lack these revocations.
  const open = await sql.query<{ name: string }>(PUBLIC_FUNCTIONS, [Object.keys(FUNCTION_RIGHTS)]);
  for (const { name } of open) await sql.query(`revoke execute on function ${name} from public`);
  const roles = new Map<ProcessRole, DatabaseRole>();
  for (const { process, exists, mayCreate, ...role } of found) {
    if (!exists && !mayCreate) continue;
    if (!exists) await sql.query(`create role ${role.quoted} nologin`);
    await grantMissing(sql, process, role);
    roles.set(process, role);
  }
  return roles;
}

async function grantMissing(sql: Sql, process: ProcessRole, { name, quoted }: DatabaseRole): Promise<void> {
  const wanted = rightsOf(process);
  const columns = (['kind', 'object', 'column', 'right'] as const).map((field) => wanted.map((right) => right[field]));
  const missing = await sql.query<Right>(MISSING, [name, ...columns]);
  for (const { kind, object, column, right } of missing) {
    const target = kind === 'column' ? `(${column}) on ${object}` : `on ${kind} ${object}`;
    await sql.query(`grant ${right} ${target} to ${quoted}`);
  }
}

function rightsOf(process: ProcessRole): Right[] {
  const on = (kind: Right['kind'], object: string, right: string): Right => ({ kind, object, column: '', right });
  const rights = [on('schema', 'public', 'usage')];
  for (const [table, { [process]: granted = '' }] of Object.entries(TABLE_RIGHTS)) {
    for (const [, right = '', columns] of granted.matchAll(/(\w+)(?: \(([^)]+)\))?/g)) {
      if (columns === undefined) rights.push(on('table', table, right));
      else for (const column of columns.split(', ')) rights.push({ kind: 'column', object: table, column, right });
    }
  }
  for (const [sequence, processes] of Object.entries(SEQUENCE_RIGHTS))
    if (processes.includes(process)) rights.push(on('sequence', sequence, 'usage'));
  for (const [name, processes] of Object.entries(FUNCTION_RIGHTS))
    if (processes.includes(process)) rights.push(on('function', name, 'execute'));
  return rights;
}
