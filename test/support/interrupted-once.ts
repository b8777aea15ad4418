import type { Database } from '../../src/platform/database/database.js';

/**
 * Lets Postgres fail the next change of a table, and only that.
 * @param change such as `update on broadcasts`
 * @param code SQLSTATE
 */
export async function interruptOnce(database: Database, change: string, code: string): Promise<void> {
  // A rollback does not reset a sequence.
  await database.query('create sequence attempts');
  await database.query(
    `create function interrupt() returns trigger language plpgsql as $$
     begin
       if nextval('attempts') = 1 then raise 'planted' using errcode = '${code}'; end if;
       return coalesce(new, old);
     end $$`,
  );
  await database.query(`create trigger interrupt before ${change} for each row execute function interrupt()`);
}
