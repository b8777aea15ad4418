import type { MigrationInterface, QueryRunner } from 'typeorm';

const NAME = 'events_contact_email';
const COLUMNS = '(contact_id, occurred_at, email_id)';

const PARTITIONS_WITHOUT_INDEX = `
select inhrelid::regclass::text as partition from pg_inherits table_part
 where inhparent = 'events'::regclass and not exists (
   select from pg_inherits index_part join pg_index on indexrelid = index_part.inhrelid
    where index_part.inhparent = '${NAME}'::regclass and indrelid = table_part.inhrelid)
 order by 1`;

/**
 * Finds the events of one email among those of its contact in the index alone: without the email in it, each event of
 * the contact was read from the table. A retry continues with the partitions that lack the index.
 */
export class EventsByContactAndEmail1793880000000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // Without the partitions, this builds nothing. A partition that is attached later gets the index by itself.
    await briefly(runner, `create index if not exists ${NAME} on only events ${COLUMNS}`);
    const rows = (await runner.query(PARTITIONS_WITHOUT_INDEX)) as { partition: string }[];
    for (const { partition } of rows) {
      const name = `${partition}_contact_id_occurred_at_email_id_idx`; // as Postgres names it for a new partition
      await runner.query(`drop index concurrently if exists ${name}`);
      await runner.query(`create index concurrently ${name} on ${partition} ${COLUMNS}`);
      await briefly(runner, `alter index ${NAME} attach partition ${name}`);
    }
    await briefly(runner, 'drop index if exists events_contact');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('create index events_contact on events (contact_id, occurred_at)');
    await runner.query(`drop index ${NAME}`);
  }
}

/** Both statements are one transaction. A table lock that takes longer would block all statements behind it. */
function briefly(runner: QueryRunner, statement: string): Promise<unknown> {
  return runner.query(`set local lock_timeout = '1s'; ${statement}`);
}
