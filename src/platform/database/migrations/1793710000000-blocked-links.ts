import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The deny list for links. */
export class BlockedLinks1793710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table blocked_links (
      kind text not null,
      value text not null,
      created_at timestamptz(3) not null default now(),
      primary key (kind, value),
      constraint blocked_links_kind check (kind in ('host', 'email', 'organization', 'deleted', 'tag'))
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table blocked_links');
  }
}
