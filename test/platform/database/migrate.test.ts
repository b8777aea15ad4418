import { Client } from 'pg';
import { createDataSource, poolOf } from '../../../src/platform/database/data-source.js';
import { Database } from '../../../src/platform/database/database.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { migrations } from '../../../src/platform/database/migrations.js';
import { checkSchema } from '../../../src/platform/database/schema-check.js';
import { createEmptyDatabase, type TestDatabase } from '../../support/services.js';

let database: TestDatabase;

beforeEach(async () => {
  database = await createEmptyDatabase();
});

afterEach(() => database.drop());

async function query<Row>(sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

async function check(): Promise<void> {
  const dataSource = await createDataSource(database.url, 1).initialize();
  try {
    await checkSchema(new Database(poolOf(dataSource)));
  } finally {
    await dataSource.destroy();
  }
}

const applied = () => query<{ name: string }>('select name from migrations order by id');
const ours = () =>
  query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
   union all select proname from pg_proc where pronamespace = current_schema()::regnamespace
     and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`,
  );

describe('migrating', () => {
  it('applies every migration once when five processes start at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => migrate(database.url)));
    expect(await applied()).toEqual(migrations.map(({ name }) => ({ name })));
    await check();
  });

  it('changes nothing the second time', async () => {
    await migrate(database.url);
    const before = await query('select * from migrations');
    await query(`insert into organizations (id, name, plan) values (gen_random_uuid(), 'Kept', 'free')`);
    await migrate(database.url);
    expect(await query('select * from migrations')).toEqual(before);
    expect(await query('select name from organizations')).toEqual([{ name: 'Kept' }]);
  });

  it('continues where an older build stopped', async () => {
    await migrate(database.url);
    await revertLast();
    await migrate(database.url);
    await check();
  });

  it('reverts all of its changes in reverse order', async () => {
    await migrate(database.url);
    await revertLast(migrations.length);
    expect(await ours()).toEqual([{ name: 'migrations' }]);
    await migrate(database.url);
    await check();
  });

  it('adds existing contacts to the search', async () => {
    await migrate(database.url);
    await revertLast(migrations.length - migrations.findIndex(({ name }) => name.startsWith('ContactSearch')));
    await query(`with organization as (
        insert into organizations (id, name, plan) values (gen_random_uuid(), 'Old', 'free') returning id)
      insert into contacts (organization_id, address_key, address, first_seen_at, last_activity_at)
      select id, 'ada@example.com', 'Ada@example.com', now(), now() from organization`);
    await migrate(database.url);
    expect(await query('select letters from contact_search')).toEqual([{ letters: 'adaαexampleβcomω x ' }]);
  });

  it('explains what to do if it may not create the extension', async () => {
    const url = new URL(database.url);
    const name = url.pathname.slice(1);
    await query(`create role ${name} login password 'secret'`);
    await query(`grant usage, create on schema public to ${name}`);
    [url.username, url.password] = [name, 'secret'];
    try {
      await expect(migrate(url.href)).rejects.toThrow(/create extension pg_trgm/);
    } finally {
      await query(`drop owned by ${name} cascade; drop role ${name}`);
    }
  });

  it.each([
    ['tables', 'create table orders (id int)', ['orders']],
    [
      'a list of migrations in another form',
      'create table migrations (id serial, migration text); create table shops (id int)',
      ['migrations', 'shops'],
    ],
    [
      'a list of migrations in our form',
      `create table migrations (id serial, timestamp bigint, name text);
       insert into migrations (timestamp, name) values (1, 'Shops1')`,
      ['migrations'],
    ],
  ])('leaves a database of another application as it is: one with %s', async (_, create, tables) => {
    await query(create);
    await expect(migrate(database.url)).rejects.toThrow(/belongs to another application.* empty database/);
    expect((await ours()).map(({ name }) => name).sort()).toEqual(tables);
    await expect(check()).rejects.toThrow(/older than this build/);
  });

  it('takes a database with only tables of extensions, and the list of a first migration that was interrupted', async () => {
    await query('create table settings_of_extension (id int)');
    await query('create extension pg_trgm; alter extension pg_trgm add table settings_of_extension');
    const dataSource = await createDataSource(database.url, 1).initialize();
    await dataSource.showMigrations(); // creates the list
    await dataSource.destroy();
    expect(await applied()).toEqual([]);
    await migrate(database.url);
    await check();
  });

  /** Outside a transaction: some build an index concurrently again, and none requires a transaction. */
  async function revertLast(times = 1): Promise<void> {
    const dataSource = await createDataSource(database.url, 1).initialize();
    try {
      for (let time = 0; time < times; time++) await dataSource.undoLastMigration({ transaction: 'none' });
    } finally {
      await dataSource.destroy();
    }
  }
});

describe('checking the schema at start', () => {
  it('accepts the schema of this build', async () => {
    await migrate(database.url);
    await expect(check()).resolves.toBeUndefined();
  });

  it.each(['an empty database', 'an older schema'])('refuses %s and names the command to run', async (kind) => {
    if (kind === 'an older schema') {
      await migrate(database.url);
      await query(`delete from migrations where name = '${migrations[migrations.length - 1]!.name}'`);
    }
    await expect(check()).rejects.toThrow(/older than this build: .* npm run cli -- migrate/);
  });

  it('accepts a newer schema that keeps what this build uses, and so does a migration', async () => {
    await migrate(database.url);
    await query(`insert into migrations (timestamp, name) values (1999999999999, 'Tomorrow1999999999999')`);
    await expect(check()).resolves.toBeUndefined();
    await migrate(database.url);
    expect(await applied()).toHaveLength(migrations.length + 1);
  });

  it('refuses a newer schema that has changed what this build uses, and so does a migration', async () => {
    await migrate(database.url);
    await query(`insert into migrations (timestamp, name) values (1999999999999, 'BreakingTomorrow1999999999999')`);
    await expect(check()).rejects.toThrow(
      /too new for this build .*BreakingTomorrow1999999999999.*Start a newer build/,
    );
    await expect(migrate(database.url)).rejects.toThrow(/too new for this build/);
  });
});
