import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which emails a provider of their organization took: they say nothing about the reputation of the service's providers.
 * Those from before the upgrade count as sent by the service.
 */
export class EmailsOfOwnProviders1793997000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails add column own_provider boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails drop column own_provider');
  }
}
