import { DataSource } from 'typeorm';
import { dataSourceOptions, poolOf } from '../../../src/platform/database/data-source.js';
import { Database } from '../../../src/platform/database/database.js';
import { entities } from '../../../src/roles/entities.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../support/services.js';
import { readCatalog } from './schema-catalog.js';

const closers: (() => Promise<unknown>)[] = [];
let migrated: DataSource;
let sql: Database;
let tables: string[];

async function open(create: () => Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await create();
  closers.unshift(() => database.drop());
  return database;
}

async function openWithEntities(url: string): Promise<DataSource> {
  const dataSource = await new DataSource({ ...dataSourceOptions(url, 2), entities }).initialize();
  closers.unshift(() => dataSource.destroy());
  return dataSource;
}

beforeEach(async () => {
  migrated = await openWithEntities((await open(createTestDatabase)).url); // a copy of one that was migrated
  sql = new Database(poolOf(migrated));
  tables = migrated.entityMetadatas.map(({ tableName }) => tableName);
});

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Statements with which TypeORM would change the database to match the entities. */
async function wantedChanges(): Promise<string[]> {
  const { upQueries } = await migrated.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
}

describe('the schema that migrations make', () => {
  it('needs no change to match the entities', async () => {
    expect(await wantedChanges()).toEqual([]);
  });

  it('equals the schema that the entities would create, including every default, check and index', async () => {
    const made = await openWithEntities((await open(createEmptyDatabase)).url);
    await made.synchronize();
    expect(await readCatalog(sql, tables)).toEqual(await readCatalog(new Database(poolOf(made)), tables));
  });

  it('has an entity for every table', async () => {
    const rows = await sql.query<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`,
    );
    expect(rows.map(({ name }) => name).sort()).toEqual([...tables, 'migrations'].sort());
  });

  it.each([
    'alter table emails alter column attempts type bigint',
    'alter table emails alter column sent_at set not null',
    'alter table emails drop column tracked',
    'alter table contacts add column nickname text',
    `alter table webhook_endpoints alter column events set default '{EMAIL_FAILED}'`,
    'drop index campaigns_active',
    'alter table contact_emails drop constraint contact_emails_email_id_fkey',
    'alter table events drop constraint events_type',
  ])('would need a change after: %s', async (change) => {
    await sql.query(change);
    expect(await wantedChanges()).not.toEqual([]);
  });

  it.each([
    [
      'drop index emails_failed',
      'create index emails_failed on emails (organization_id, id) where sent_at is not null',
    ],
    ['drop index emails_campaign_id', 'create index emails_campaign_id on emails (id, campaign_id)'],
    [
      'alter table emails drop constraint emails_status',
      `alter table emails add constraint emails_status check (true)`,
    ],
  ])('differs from the entities after: %s; %s', async (...changes) => {
    const before = await readCatalog(sql, tables);
    for (const change of changes) await sql.query(change);
    expect(await readCatalog(sql, tables)).not.toEqual(before);
  });

  it('has what TypeORM cannot express', async () => {
    const rows = await sql.query<{ definition: string }>(
      `select pg_get_indexdef(indexrelid) as definition from pg_index
        where indexrelid::regclass::text in ('contacts_pkey', 'contacts_last_activity', 'contact_search_letters', 'email_contents_recipients')
        order by 1`,
    );
    expect(rows.map(({ definition }) => definition.replaceAll('public.', ''))).toEqual([
      "CREATE INDEX contact_search_letters ON contact_search USING gin (letters gin_trgm_ops) WITH (gin_pending_list_limit='256')",
      'CREATE INDEX contacts_last_activity ON contacts USING btree (organization_id, last_activity_at, id) INCLUDE (address_key)',
      "CREATE INDEX email_contents_recipients ON email_contents USING gin (mailbox_keys(((to_addresses || cc_addresses) || bcc_addresses))) WHERE ((cardinality(to_addresses) > 1) OR (cc_addresses <> '{}'::text[]) OR (bcc_addresses <> '{}'::text[]))",
      'CREATE UNIQUE INDEX contacts_pkey ON contacts USING btree (id) INCLUDE (organization_id, last_activity_at)',
    ]);
    const [events] = await sql.query<{ key: string; others: string[] }>(
      `select pg_get_partkeydef('events'::regclass) as key, array(
         select inhrelid::regclass::text from pg_inherits where inhparent = 'events'::regclass) as others`,
    );
    expect(events).toEqual({ key: 'RANGE (occurred_at)', others: ['events_default'] });
  });
});
