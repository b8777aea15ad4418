import { Client } from 'pg';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { provideLogin } from '../../src/platform/database/process-login.js';
import { migrate } from '../../src/platform/database/migrate.js';
import {
  FUNCTION_RIGHTS,
  PROCESS_ROLES,
  TABLE_RIGHTS,
  type ProcessRole,
} from '../../src/platform/database/process-rights.js';
import { loadSigningKeys } from '../../src/links/signing-key-store.js';
import { grantedTo, listedFor } from '../support/granted-rights.js';
import { createTestRedis } from '../support/services.js';
import { provideLogins, removeLogins, type Logins } from '../support/limited-logins.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

/** Rows with a Postgres array do not parse; texts do. */
type Texts = Record<string, string>;

let test: OpenTestDatabase;
let logins: Logins;
const connections = new Map<ProcessRole, Client>();

beforeAll(async () => {
  test = await openTestDatabase();
  logins = await provideLogins(test.url, (await createTestRedis()).url);
  for (const role of PROCESS_ROLES) {
    const client = new Client({ connectionString: logins[role].DATABASE_URL });
    await client.connect();
    connections.set(role, client);
  }
});
afterAll(async () => {
  for (const client of connections.values()) await client.end();
  await removeLogins(test.database);
  await test.close();
});

const as = async (role: ProcessRole, statement: string): Promise<Texts[]> =>
  (await connections.get(role)!.query<Texts>(statement)).rows;

const nameOf = (role: ProcessRole): string => decodeURIComponent(new URL(logins[role].DATABASE_URL).username);

describe('rights of processes in Postgres', () => {
  it('the list contains every table and no other: a new table needs a decision about its rights', async () => {
    const rows = await test.database.query<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm') and not relispartition`,
    );
    expect(Object.keys(TABLE_RIGHTS).sort()).toEqual(rows.map(({ name }) => name).sort());
  });

  it('every function that runs with the rights of its owner is in the list and has a fixed search path', async () => {
    const rows = await test.database.query<{ name: string; path: string; open: boolean }>(
      `select proname || '(' || oidvectortypes(proargtypes) || ')' as name, coalesce(array_to_string(proconfig, '; '), '') as path,
              exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) where grantee = 0) as open
         from pg_proc where prosecdef and pronamespace = 'public'::regnamespace`,
    );
    expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(FUNCTION_RIGHTS).sort());
    for (const { path, open } of rows) {
      expect(path).toContain('search_path=public, pg_temp');
      expect(open).toBe(false);
    }
  });

  it.each(PROCESS_ROLES)('%s has exactly the rights in the list', async (role) => {
    const functions = (right: string): string => right.replaceAll(/\w+ (text|date|integer)/g, '$1');
    expect((await grantedTo(test.database, nameOf(role))).map(functions)).toEqual(listedFor(role));
  });

  it.each(PROCESS_ROLES)('%s creates no table, schema, function or role, and owns nothing', async (role) => {
    for (const statement of [
      'create table mine (id int)',
      'create schema mine',
      `create function mine() returns int language sql as 'select 1'`,
      'create role mine',
      'alter table emails add column mine int',
      'drop table contacts',
      'alter role current_user superuser',
      `copy (select 1) to program 'true'`,
    ]) {
      await expect(as(role, statement)).rejects.toThrow(/permission denied|must be|only|not permitted/i);
    }
    const owned = await as(role, `select relname from pg_class where relowner = current_user::regrole`);
    expect(owned).toEqual([]);
  });

  it.each(PROCESS_ROLES)('%s changes and deletes no entry of the audit log', async (role) => {
    for (const statement of [
      `update audit_entries set actor_id = 'nobody'`,
      'delete from audit_entries',
      'truncate audit_entries',
      'drop trigger audit_entries_append_only on audit_entries',
      'alter table audit_entries disable trigger all',
      `set session_replication_role = 'replica'`,
    ]) {
      await expect(as(role, statement)).rejects.toThrow(/permission denied|must be owner/);
    }
  });

  it.each<[ProcessRole, string]>([
    ['tracking', 'select html from email_contents'],
    ['tracking', 'select email from users'],
    ['tracking', 'select address from contacts'],
    ['tracking', 'select contact_ids from emails'],
    ['tracking', 'insert into blocked_links (kind, value) values ($$host$$, $$x$$)'],
    ['tracking', 'insert into signing_keys (id, secret) values (7, $$x$$)'],
    ['bounces', 'select tracking_id from emails'],
    ['bounces', 'select value from blocked_links'],
    ['bounces', 'select address_key from suppressions'],
    ['flusher', 'select * from api_keys'],
    ['flusher', 'select html from email_contents'],
    ['flusher', 'select sealed_secret from webhook_endpoints'],
    ['flusher', 'select url from webhook_endpoints'],
    ['flusher', 'select sealed_dkim_key from sending_domains'],
    ['flusher', 'select name from organizations'],
    ['flusher', 'delete from emails'],
    ['flusher', 'delete from events'],
    ['flusher', 'select password_hash from users'],
    ['worker', 'select password_hash from users'],
    ['worker', 'select token_hash from sessions'],
    ['worker', 'select * from api_keys'],
    ['worker', 'select role from memberships'],
    ['worker', 'select actor_id, details from audit_entries'],
    ['worker', 'update organizations set plan = $$unlimited$$'],
    ['worker', 'insert into users (id, email) values (gen_random_uuid(), $$x$$)'],
    ['api', 'update organizations set deleted_at = null'],
    ['api', 'update organizations set plan = $$unlimited$$'],
    ['api', 'insert into organizations (id, name, plan) values (gen_random_uuid(), $$x$$, $$pro$$)'],
    ['api', 'delete from organizations'],
    ['api', 'update sending_guards set state = $$normal$$'],
    ['api', 'delete from blocked_links'],
    ['api', 'delete from emails'],
    ['api', 'delete from email_contents'],
    ['api', 'insert into signing_keys (id, secret) values (7, $$x$$)'],
    ['api', 'insert into events (id) values (gen_random_uuid())'],
    ['api', 'select delete_expired_audit_entries(30, 1)'],
    ['flusher', `select drop_event_partition('events', '2020-01-01')`],
  ])('%s may not: %s', async (role, statement) => {
    await expect(as(role, statement)).rejects.toThrow('permission denied');
  });

  it('worker creates partitions of events and drops old ones, and nothing else of that kind', async () => {
    expect(await as('worker', `select create_event_partition('events', '2031-05-20') as made`)).toEqual([
      { made: true },
    ]);
    expect(await as('worker', `select create_event_partition('events', '2031-05-01') as made`)).toEqual([
      { made: false },
    ]);
    await as('worker', `select create_event_partition('events', '2001-05-01')`);
    await as('worker', `select drop_event_partition('events', '2001-05-31')`);
    const names = await test.database.query<{ name: string }>(
      `select relname as name from pg_class where relname in ('events_2031_05', 'events_2001_05')`,
    );
    expect(names).toEqual([{ name: 'events_2031_05' }]);
    await expect(as('worker', `select drop_event_partition('events', current_date)`)).rejects.toThrow('are kept');
    await expect(as('worker', `select drop_event_partition('events', '2031-05-01')`)).rejects.toThrow('are kept');
    for (const table of ['contacts', 'events_default', 'events; drop table contacts', 'pg_class'])
      await expect(
        connections.get('worker')!.query('select drop_event_partition($1, $2)', [table, '2001-01-01']),
      ).rejects.toThrow('has no monthly partitions');
    await expect(as('worker', 'drop table events_2031_05')).rejects.toThrow('must be owner');
    await expect(as('worker', 'select * from events_2031_05')).rejects.toThrow('permission denied');
  });

  it('a migration restores missing rights, and revokes those that a restored backup has added', async () => {
    await test.database.query(`revoke select on contacts from ${nameOf('worker')}`);
    await test.database.query('grant execute on function drop_event_partition(text, date) to public');
    await expect(as('worker', 'select from contacts')).rejects.toThrow('permission denied');
    await migrate(test.url);
    await as('worker', 'select from contacts');
    await expect(as('api', `select drop_event_partition('events', '2001-05-31')`)).rejects.toThrow('permission denied');
  });

  it('an owner without the right to create roles migrates, and works as before', async () => {
    const owner = `owner_${process.pid}`;
    await test.database.query(`create role ${owner} login password 'secret'`);
    const name = new URL(test.url).pathname.slice(1);
    const other = `${name}_other`;
    await test.database.query(`create database ${other} owner ${owner}`);
    try {
      const url = new URL(test.url);
      Object.assign(url, { username: owner, password: 'secret', pathname: `/${other}` });
      await migrate(url.href);
      const database = await openDatabase(url.href, 2);
      await loadSigningKeys(database);
      await database.query('select delete_expired_audit_entries(30, 1)');
      expect(await database.query('select from pg_roles where rolname like $1', [`${other}%`])).toEqual([]);
      const login = provideLogin(database, { process: 'worker', password: 'secret' });
      await expect(login).rejects.toThrow('may not create or change roles');
      await database.pool.end();
    } finally {
      await test.database.query(`drop database ${other} with (force)`);
      await test.database.query(`drop role ${owner}`);
    }
  });
});
