import { Redis } from 'ioredis';
import { redisUser } from '../../src/cli/redis-user.js';
import type { Database } from '../../src/platform/database/database.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { provideLogin } from '../../src/platform/database/process-login.js';
import { PROCESS_ROLES, type ProcessRole } from '../../src/platform/database/process-rights.js';
import { loadSigningKeys } from '../../src/links/signing-key-store.js';

export type Logins = Readonly<Record<ProcessRole, { readonly DATABASE_URL: string; readonly REDIS_URL: string }>>;

const PASSWORD = 'a-password-of-tests';

/** Creates a login to Postgres and a Redis user for each role, with the rights of that role only. */
export async function provideLogins(databaseUrl: string, redisUrl: string): Promise<Logins> {
  const database = await openDatabase(databaseUrl, 2);
  const redis = new Redis(redisUrl);
  try {
    await loadSigningKeys(database);
    const logins: [ProcessRole, Logins[ProcessRole]][] = [];
    for (const role of PROCESS_ROLES) {
      const login = await database.transaction((sql) => provideLogin(sql, { process: role, password: PASSWORD }));
      const [, user, ...rights] = redisUser(role, `mailbeacon_${role}`, PASSWORD).split(' ');
      await redis.call('ACL', 'SETUSER', user!, 'reset', ...rights);
      logins.push([role, { DATABASE_URL: as(databaseUrl, login), REDIS_URL: as(redisUrl, user!) }]);
    }
    return Object.fromEntries(logins) as Record<ProcessRole, Logins[ProcessRole]>;
  } finally {
    redis.disconnect();
    await database.pool.end();
  }
}

function as(url: string, user: string): string {
  const changed = new URL(url);
  changed.username = encodeURIComponent(user);
  changed.password = encodeURIComponent(PASSWORD);
  return changed.href;
}

/** Postgres roles belong to the server, so they outlive the database of a test. */
export async function removeLogins(database: Database): Promise<void> {
  const rows = await database.query<{ name: string }>(
    `select quote_ident(rolname) as name from pg_roles where rolname = any(array(
       select left(current_database(), 50) || '_' || role from unnest($1::text[]) as role))`,
    [PROCESS_ROLES],
  );
  for (const { name } of rows) {
    await database.query(`drop owned by ${name}`);
    await database.query(`drop role ${name}`);
  }
}
