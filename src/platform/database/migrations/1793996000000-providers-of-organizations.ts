import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Providers that organizations use instead of those of the service. */
export class ProvidersOfOrganizations1793996000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table organization_providers (
      id uuid primary key,
      organization_id uuid not null
        constraint organization_providers_organization_id_fkey references organizations (id) on delete cascade,
      name text not null,
      type text not null,
      weight integer,
      per_second double precision,
      sealed_credentials text not null,
      sealed_event_key text,
      version integer not null default 1,
      created_at timestamptz(3) not null default now(),
      changed_at timestamptz(3) not null default now()
    )`);
    await runner.query(
      'create unique index organization_providers_name on organization_providers (organization_id, name)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table organization_providers');
  }
}
