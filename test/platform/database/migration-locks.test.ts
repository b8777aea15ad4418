import type { QueryRunner } from 'typeorm';
import { Client, Pool } from 'pg';
import { Database } from '../../../src/platform/database/database.js';
import { migrate, MigrationBlockedError } from '../../../src/platform/database/migrate.js';
import { migrations } from '../../../src/platform/database/migrations.js';
import { eventually } from '../../support/eventually.js';
import { lockedOut, whileLocked } from '../../support/held-lock.js';
import { createEmptyDatabase, type TestDatabase } from '../../support/services.js';

describe('a migration while a service runs', () => {
  let testDatabase: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    testDatabase = await createEmptyDatabase();
    database = new Database(new Pool({ connectionString: testDatabase.url, max: 4 }));
    await migrate(testDatabase.url);
    // As if a build before the last change of an old table had made this schema.
    await database.query(`delete from migrations where name like 'PlacesInLine%'`);
    await database.query('alter table pending_emails drop column place');
    await database.query('alter table dispatch_window drop column front');
  });

  afterEach(async () => {
    await database.pool.end();
    await testDatabase.drop();
  });

  it('does not block other statements while it waits for a lock, and completes once the lock is free', async () => {
    let migrating: Promise<void> | undefined;
    await whileLocked(
      database,
      (sql) => sql.query('select from pending_emails'),
      async () => {
        migrating = migrate(testDatabase.url);
        await lockedOut(database, 1);
        // Waits behind the migration, whose lock timeout ends in time.
        await database.query(`set statement_timeout = '4s'; select from pending_emails`);
      },
    );
    await migrating;
    expect(await database.query('select place from pending_emails')).toEqual([]);
  });

  it('says that it waits for the migration of another process, instead of waiting in silence', async () => {
    const reasons: string[] = [];
    const holder = new Client({ connectionString: testDatabase.url });
    await holder.connect();
    try {
      await holder.query('begin; select pg_advisory_xact_lock(7219533004)');
      const migrating = migrate(testDatabase.url, { onBlocked: (reason) => reasons.push(reason) });
      await eventually(() => reasons.length > 0);
      await holder.query('rollback');
      await migrating;
    } finally {
      await holder.end();
    }
    expect(reasons).toEqual(['another process is migrating the database']);
  });

  it('loses its locks within 30 seconds after its host has vanished', async () => {
    // Each of these reports a setting of its session: of the one with the migration lock, and of one with table locks.
    await database.query(`create sequence seen_by_lock minvalue 0; create sequence seen_by_migration minvalue 0;
      create function public.pg_try_advisory_xact_lock(bigint) returns boolean language sql as $$
        select setval('seen_by_lock', current_setting('tcp_keepalives_idle')::int);
        select pg_catalog.pg_try_advisory_xact_lock($1) $$;
      create function seen() returns event_trigger language plpgsql as $$ begin
        perform setval('seen_by_migration', current_setting('tcp_keepalives_idle')::int); end $$;
      create event trigger seen on ddl_command_end execute function seen();
      alter database ${new URL(testDatabase.url).pathname.slice(1)} set search_path = public, pg_catalog`);
    await migrate(testDatabase.url);
    const [seen] = await database.query(
      'select l.last_value as lock, m.last_value as migration from seen_by_lock l, seen_by_migration m',
    );
    expect(seen).toEqual({ lock: '10', migration: '10' });
  });

  it('gives up after a while, and names what to check', async () => {
    await whileLocked(
      database,
      (sql) => sql.query('select from pending_emails'),
      () => expect(migrate(testDatabase.url, { maxWaitMs: 0 })).rejects.toThrow(MigrationBlockedError),
    );
  });
});

/** Earlier migrations need not follow this rule: every database has them already. */
const newer = migrations.slice(1 + migrations.findIndex(({ name }) => name.startsWith('PlacesInLine')));

describe.each(newer.map((Migration) => [Migration.name, new Migration()] as const))('%s', (_name, migration) => {
  let statements: string[];

  beforeAll(async () => {
    statements = [];
    const query = (statement: string): Promise<unknown[]> => {
      statements.push(statement);
      return Promise.resolve(statement.includes(' as partition ') ? [{ partition: 'events_default' }] : []);
    };
    await migration.up({ query } as unknown as QueryRunner);
    statements = statements.map((statement) => statement.toLowerCase().replace(/\s+/g, ' ').trim());
  });

  it('builds indexes of tables in use without locking them', () => {
    const made = statements.flatMap((statement) => [...statement.matchAll(/create table (?:if not exists )?(\w+)/g)]);
    const own = new Set(made.map(([, table]) => table));
    const locking = statements.filter((statement) => {
      const [, concurrently, only, table] =
        /create (?:unique )?index (concurrently )?.*?\bon (only )?(\w+)/.exec(statement) ?? [];
      return table !== undefined && concurrently === undefined && only === undefined && !own.has(table);
    });
    expect(locking).toEqual([]);
  });

  it('rewrites and scans no table under a lock that stops writers', () => {
    const heavy =
      /alter column \w+ (set data )?type|set not null|add (constraint \w+ )?(check|foreign key)(?!.*not valid)|^vacuum full|^cluster/;
    expect(statements.filter((statement) => heavy.test(statement))).toEqual([]);
  });

  it('can fail at any statement and be run again, if it is not a transaction', () => {
    const concurrent = statements.some((statement) => statement.includes('concurrently'));
    const { transaction = true } = migration as { transaction?: boolean };
    expect(transaction).toBe(!concurrent);
    const repeatable =
      /concurrently|^select |^set local lock_timeout = '1s'; (create index if not exists \w+ on only|alter index \w+ attach partition|drop index if exists) /;
    if (concurrent) expect(statements.filter((statement) => !repeatable.test(statement))).toEqual([]);
    const built = statements.flatMap((statement) => /create .*index concurrently (\w+)/.exec(statement)?.[1] ?? []);
    for (const index of built) expect(statements).toContain(`drop index concurrently if exists ${index}`);
  });
});
