import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a user joined an organization, which learns nothing about an account of others before. */
export class JoinedMembers1793910000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table memberships add column joined_at timestamptz(3)');
    await runner.query(`
      update memberships m set joined_at = m.created_at from users u
       where u.id = m.user_id and (u.password_hash is not null or u.oidc_subject is not null
             or exists (select from sessions s where s.user_id = u.id))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table memberships drop column joined_at');
  }
}
