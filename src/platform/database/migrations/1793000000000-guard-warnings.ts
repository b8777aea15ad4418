import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations can be warned before they are slowed down. */
export class GuardWarnings1793000000000 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return allow(runner, ['normal', 'warned', 'slowed', 'paused']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`update sending_guards set state = 'normal', reason = null where state = 'warned'`);
    await allow(runner, ['normal', 'slowed', 'paused']);
  }
}

async function allow(runner: QueryRunner, states: readonly string[]): Promise<void> {
  const list = states.map((state) => `'${state}'`).join(', ');
  await runner.query(`alter table sending_guards drop constraint sending_guards_state,
    add constraint sending_guards_state check (state in (${list})) not valid`);
}
