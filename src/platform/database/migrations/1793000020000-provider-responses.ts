import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The provider's response when it accepted an email. */
export class ProviderResponses1793000020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails add column provider_response text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails drop column provider_response');
  }
}
