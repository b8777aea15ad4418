import type { Sql } from './database.js';

/** The only tables that the tracking edge reads: the signing keys of links, and the schema version. */
const READ_BY_TRACKING = ['signing_keys', 'migrations'] as const;

/**
 * Creates or updates a login for the tracking edge, to use instead of the database owner. A compromised edge can then
 * read neither mail nor contacts nor API keys, and cannot change anything. Idempotent.
 * @param name name of the login, any string
 */
export async function provideTrackingRole(sql: Sql, name: string, password: string): Promise<void> {
  const tables = READ_BY_TRACKING.join(', ');
  // CREATE ROLE takes no parameters, so Postgres quotes the name and the password with format().
  const [statements] = await sql.query<{ create: string; alter: string; grant: string; exists: boolean }>(
    `select format('create role %I login password %L', $1::text, $2::text) as create,
            format('alter role %I login password %L', $1::text, $2::text) as alter,
            format('grant select on ${tables} to %I', $1::text) as grant,
            exists (select from pg_roles where rolname = $1) as exists`,
    [name, password],
  );
  if (!statements) throw new Error('Postgres returned no statements');
  await sql.query(statements.exists ? statements.alter : statements.create);
  await sql.query(statements.grant);
}
