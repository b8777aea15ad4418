import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Shows the flusher which emails have hits that were only counted because their minute was over the limit, so that it
 * looks among those for a repeated hit only then. A hit that was counted before the upgrade is not noticed if it is
 * repeated after it.
 */
export class SummedHits1793890000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails add column hits_summed boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails drop column hits_summed');
  }
}
