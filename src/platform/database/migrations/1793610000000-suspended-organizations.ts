import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations that an operator stopped. They are also paused, so that older builds hold back their mail as well. */
export class SuspendedOrganizations1793610000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sending_guards add column suspended boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sending_guards drop column suspended');
  }
}
