import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creating a partition locks only the parent, for all access. Before, it blocked inserts into the parent and then
 * waited for readers of the default partition: a flush that had read events and then inserted some deadlocked with it.
 */
export class PartitionsBehindReaders1793806000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(createPartition(LOCK_PARENT));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(createPartition(LOCK_BOTH));
  }
}

/** A statement that already holds a lock of the parent passes the one that waits; a later one queues behind it. */
export const LOCK_PARENT = `
     execute format('lock table only %I in access exclusive mode', parent);`;

const LOCK_BOTH = `
     execute format('lock table only %I in share row exclusive mode', parent);
     execute format('lock table %I in access exclusive mode', parent || '_default');`;

/** A month as a time without a zone, so that the session's time zone has no effect. */
const MONTH = `date_trunc('month', month::timestamp)`;

/** @param lockTables the statements that lock the tables before the partition exists */
export function createPartition(lockTables: string): string {
  return `create or replace function create_event_partition(parent text, month date) returns boolean language plpgsql
   security definer set search_path = public, pg_temp set lock_timeout = '5s' as $$
   declare
     partition text := parent || to_char(${MONTH}, '_YYYY_MM');
     first timestamptz := ${MONTH} at time zone 'UTC';
     next timestamptz := (${MONTH} + interval '1 month') at time zone 'UTC';
   begin
     if parent not in ('events', 'delivery_events') then
       raise exception '% has no monthly partitions', parent using errcode = 'insufficient_privilege';
     end if;
     if exists (select from pg_class where relname = partition and relnamespace = 'public'::regnamespace) then
       return false;
     end if;${lockTables}
     execute format('create table %I (like %I including defaults including constraints)', partition, parent);
     execute format('with moved as (delete from %I where occurred_at >= $1 and occurred_at < $2 returning *)
                     insert into %I select * from moved', parent || '_default', partition) using first, next;
     execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, partition, first, next);
     return true;
   end $$`;
}
