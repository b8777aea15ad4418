import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A trigger deletes the recipients of a broadcast with it. The foreign key also did that, but checked the broadcast
 * again for each added row; the statement that adds rows has locked it.
 */
export class RecipientsWithoutForeignKey1793790000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function delete_broadcast_recipients() returns trigger language plpgsql as $$
      begin
        delete from broadcast_recipients where broadcast_id = old.id;
        return null;
      end $$`);
    await runner.query(`
      create trigger broadcasts_delete_recipients after delete on broadcasts
        for each row execute function delete_broadcast_recipients()`);
    await runner.query('alter table broadcast_recipients drop constraint broadcast_recipients_broadcast_id_fkey');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table broadcast_recipients add constraint broadcast_recipients_broadcast_id_fkey
      foreign key (broadcast_id) references broadcasts (id) on delete cascade not valid`);
    await runner.query('drop trigger broadcasts_delete_recipients on broadcasts');
    await runner.query('drop function delete_broadcast_recipients()');
  }
}
