import type { Sql } from './database.js';

/** All that the tracking edge reads: the keys of its links, and which schema this is. */
const READ_BY_TRACKING = ['signing_keys', 'migrations'] as const;

/**
 * Makes a login that the tracking edge can use in place of the database's owner, or brings an existing one up to date:
 * what the public reaches can then read neither mail nor contacts nor keys of organizations, and change nothing.
 * Safe to run several times.
 * @param name of the login, any text
 */
export async function provideTrackingRole(sql: Sql, name: string, password: string): Promise<void> {
  const tables = READ_BY_TRACKING.join(', ');
  // Roles and passwords take no parameters: Postgres itself quotes them.
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
