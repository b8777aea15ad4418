import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets a login that owns no table create and drop the monthly partitions of events. Both functions accept only the two
 * partitioned tables, and no partition of the current month or later can be dropped.
 */
export class EventPartitionFunctions1793750000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function create_event_partition(text, date)');
    await runner.query('drop function drop_event_partition(text, date)');
  }
}

/**
 * Creating or dropping a partition waits for running readers and blocks new ones, so it gives up soon and is retried
 * later.
 */
const RIGHTS = `language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '5s'`;

const CHECK_TABLE = `
  if parent not in ('events', 'delivery_events') then
    raise exception '% has no monthly partitions', parent using errcode = 'insufficient_privilege';
  end if;`;

/** A month as a time without a zone, so that the session's time zone has no effect. */
const MONTH = `date_trunc('month', month::timestamp)`;

const statements = [
  // Moves rows of the month from the default partition. Returns false if the partition already exists: queries the
  // catalog directly, because to_regclass may return what the session cached before it waited for the lock.
  `create function create_event_partition(parent text, month date) returns boolean ${RIGHTS} as $$
   declare
     partition text := parent || to_char(${MONTH}, '_YYYY_MM');
     first timestamptz := ${MONTH} at time zone 'UTC';
     next timestamptz := (${MONTH} + interval '1 month') at time zone 'UTC';
   begin ${CHECK_TABLE}
     if exists (select from pg_class where relname = partition and relnamespace = 'public'::regnamespace) then
       return false;
     end if;
     -- Blocks inserts before they choose a partition: an insert that has already chosen the default would fail later.
     execute format('lock table only %I in share row exclusive mode', parent);
     execute format('lock table %I in access exclusive mode', parent || '_default');
     execute format('create table %I (like %I including defaults including constraints)', partition, parent);
     execute format('with moved as (delete from %I where occurred_at >= $1 and occurred_at < $2 returning *)
                     insert into %I select * from moved', parent || '_default', partition) using first, next;
     execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, partition, first, next);
     return true;
   end $$`,
  `create function drop_event_partition(parent text, month date) returns void ${RIGHTS} as $$
   begin ${CHECK_TABLE}
     if ${MONTH} >= date_trunc('month', now() at time zone 'UTC') then
       raise exception 'events of this month and later are kept' using errcode = 'insufficient_privilege';
     end if;
     execute format('drop table if exists %I', parent || to_char(${MONTH}, '_YYYY_MM'));
   end $$`,
  'revoke execute on function create_event_partition(text, date), drop_event_partition(text, date) from public',
];
