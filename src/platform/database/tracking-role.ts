import type { Sql } from './database.js';

/** The tables that the tracking edge reads: the signing keys and the deny list of links, and the schema version. */
const READ_BY_TRACKING = ['signing_keys', 'blocked_links', 'migrations'] as const;
/** While the links of an organization are blocked, the edge looks up whose emails of earlier releases are. */
const OWNERS = 'grant select (tracking_id, organization_id) on emails';

/**
 * Creates or updates a login for the tracking edge, to use instead of the database owner. A compromised edge can then
 * read neither mail nor contacts nor API keys, and cannot change anything. Idempotent.
 * @param name name of the login, any string
 */
export async function provideTrackingRole(sql: Sql, name: string, password: string): Promise<void> {
  const tables = READ_BY_TRACKING.join(', ');
  // CREATE ROLE takes no parameters, so Postgres quotes the name and the password with format().
  const [statements] = await sql.query<{
    create: string;
    alter: string;
    grant: string;
    owners: string;
    exists: boolean;
  }>(
    `select format('create role %I login password %L', $1::text, $2::text) as create,
            format('alter role %I login password %L', $1::text, $2::text) as alter,
            format('grant select on ${tables} to %I', $1::text) as grant,
            format('${OWNERS} to %I', $1::text) as owners,
            exists (select from pg_roles where rolname = $1) as exists`,
    [name, password],
  );
  if (!statements) throw new Error('Postgres returned no statements');
  await sql.query(statements.exists ? statements.alter : statements.create);
  await sql.query(statements.grant);
  await sql.query(statements.owners);
}
