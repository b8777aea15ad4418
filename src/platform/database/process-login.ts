import { InvalidFieldError } from '../errors/domain-error.js';
import { OperatorError } from '../errors/operator-error.js';
import type { Sql } from './database.js';
import type { ProcessRole } from './process-rights.js';
import { provideProcessRoles } from './process-roles.js';

/** SQLSTATE of a statement that the login has no right to. */
const FORBIDDEN = '42501';

/** Thrown when the owner of the database may not create roles, as with some hosted databases. */
class NoRightToCreateRolesError extends OperatorError {
  constructor(error: unknown) {
    super(
      `The login of DATABASE_URL may not create or change roles (${(error as Error).message}): give it CREATEROLE, ` +
        'or have an administrator create them as docs/operations.md shows',
    );
  }
}

/**
 * Creates or updates a login that may do what one process needs and nothing else. Idempotent.
 * @param name name of the login, any string; without one, the role of the process itself becomes the login
 * @returns the name of the login
 * @throws NoRightToCreateRolesError, InvalidFieldError when the name is that of the owner or an administrator
 */
export async function provideLogin(
  sql: Sql,
  { process, name, password }: { process: ProcessRole; name?: string | undefined; password: string },
): Promise<string> {
  try {
    const role = (await provideProcessRoles(sql)).get(process);
    if (!role) throw new NoRightToCreateRolesError(new Error(`the role of ${process} is missing`));
    const login = name ?? role.name;
    await refusePowerful(sql, login);
    // CREATE ROLE takes no parameters, so Postgres quotes the name and the password with format().
    const [statements] = await sql.query<{ set: string; join: string; isItself: boolean }>(
      `select format(case when exists (select from pg_roles where rolname = $1) then 'alter' else 'create' end
                     || ' role %I login password %L', $1::text, $2::text) as set,
              format('grant %I to %I', $3::text, $1::text) as join, $1 = $3 as "isItself"`,
      [login, password, role.name],
    );
    await sql.query(statements!.set);
    if (!statements!.isItself) await sql.query(statements!.join);
    return login;
  } catch (error) {
    if ((error as { code?: string }).code === FORBIDDEN) throw new NoRightToCreateRolesError(error);
    throw error;
  }
}

/** It would keep its rights and get another password, which would lock out migrations, commands and other processes. */
async function refusePowerful(sql: Sql, login: string): Promise<void> {
  const powerful = await sql.query(
    `select from pg_roles r join pg_database d on d.datname = current_database()
      where r.rolname = $1 and (pg_has_role(r.oid, d.datdba, 'member') or r.rolcreaterole or r.rolname = current_user)`,
    [login],
  );
  if (powerful.length > 0)
    throw new InvalidFieldError('name', 'is that of a login with more rights than a process: choose another');
}
