import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createPartition, LOCK_PARENT } from './1793806000000-partitions-behind-readers.js';

/**
 * A month of which the default partition has very many events gets no partition of its own. An edge whose clock
 * was months ahead leaves them there. Their move would block all events for as long as a statement may take, fail,
 * and be retried.
 */
export class ManyLateEvents1793983100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(createPartition(LEAVE_MANY + LOCK_PARENT));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(createPartition(LOCK_PARENT));
  }
}

/** Moved in a second or two. */
const MOST_MOVED = 200_000;

const LEAVE_MANY = `
     declare
       are_many boolean;
     begin
       execute format('select count(*) > ${MOST_MOVED} from (
                         select from %I where occurred_at >= $1 and occurred_at < $2 limit ${MOST_MOVED + 1}) late',
                      parent || '_default') into are_many using first, next;
       if are_many then
         return false;
       end if;
     end;`;
