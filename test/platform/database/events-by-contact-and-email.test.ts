import type { Database } from '../../../src/platform/database/database.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { EventsByContactAndEmail1793880000000 } from '../../../src/platform/database/migrations/1793880000000-events-by-contact-and-email.js';
import { lockedOut, whileLocked } from '../../support/held-lock.js';
import { databaseBefore } from '../../support/before-migration.js';
import type { TestDatabase } from '../../support/services.js';

const PARTITIONS = `
select inhrelid::regclass::text as partition,
       array(select pg_get_indexdef(indexrelid) || case when indisvalid then '' else ' INVALID' end from pg_index
              where indrelid = inhrelid and not indisprimary) as indexes
  from pg_inherits where inhparent = 'events'::regclass order by 1`;

describe('the index over the events of a contact', () => {
  let testDatabase: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    ({ testDatabase, database } = await databaseBefore(EventsByContactAndEmail1793880000000));
    await database.query(`select create_event_partition('events', '2026-11-01')`);
  });

  afterEach(async () => {
    await database.pool.end();
    await testDatabase.drop();
  });

  async function expectMigrated(): Promise<void> {
    await database.query(`select create_event_partition('events', '2026-12-01')`);
    const partitions = await database.query<{ partition: string; indexes: string[] }>(PARTITIONS);
    expect(partitions.map(({ partition }) => partition)).toEqual([
      'events_2026_11',
      'events_2026_12',
      'events_default',
    ]);
    for (const { partition, indexes } of partitions) {
      expect(indexes).toEqual([
        expect.stringMatching(`ON public.${partition} USING btree \\(contact_id, occurred_at, email_id\\)$`),
      ]);
    }
    const parents = `select indexrelid::regclass::text as name, indisvalid as valid from pg_index
                      where indrelid = 'events'::regclass and not indisprimary`;
    expect(await database.query(parents)).toEqual([{ name: 'events_contact_email', valid: true }]);
  }

  it('includes the email on every partition, earlier and later', async () => {
    await migrate(testDatabase.url);
    await expectMigrated();
  });

  it('is completed after an interruption', async () => {
    await database.query('create index events_contact_email on only events (contact_id, occurred_at, email_id)');
    // A build that breaks off leaves an index of its name, which is invalid.
    await database.query('create index events_2026_11_contact_id_occurred_at_email_id_idx on events_2026_11 (ordinal)');
    await migrate(testDatabase.url);
    await expectMigrated();
  });

  it('does not block other statements while the table is locked, and is completed once it is free', async () => {
    let migrating: Promise<void> | undefined;
    await whileLocked(
      database,
      // The lock of an insert.
      (sql) => sql.query('lock table only events in row exclusive mode'),
      async () => {
        migrating = migrate(testDatabase.url);
        await lockedOut(database, 1);
        // Waits behind the migration, whose lock timeout ends in time.
        await database.query(`set statement_timeout = '4s'; lock table only events in row exclusive mode`);
      },
    );
    await migrating;
    await expectMigrated();
  });
});
