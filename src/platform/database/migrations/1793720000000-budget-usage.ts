import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The usage of organizations' budgets. Rows are updated often, so pages keep room for new versions. */
export class BudgetUsage1793720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table budget_usage (
      organization_id uuid not null,
      budget text not null,
      period timestamptz(3) not null,
      used bigint not null default 0,
      warned_at timestamptz(3),
      primary key (organization_id, budget, period),
      constraint budget_usage_organization_id_fkey
        foreign key (organization_id) references organizations (id) on delete cascade
    ) with (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table budget_usage');
  }
}
