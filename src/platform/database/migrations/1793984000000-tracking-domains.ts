import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Domains of organizations for tracked links, and the periods in which they are in use. */
export class TrackingDomains1793984000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table tracking_domains (
      id uuid primary key,
      organization_id uuid not null
        constraint tracking_domains_organization_id_fkey references organizations (id) on delete cascade,
      domain text not null,
      status text not null default 'pending'
        constraint tracking_domains_status check (status in ('pending', 'verified')),
      created_at timestamptz(3) not null,
      verified_at timestamptz(3),
      ownership_token text not null,
      records jsonb not null,
      checked_at timestamptz(3),
      missing_since timestamptz(3),
      unanswered_since timestamptz(3),
      recheck_at timestamptz(3)
    )`);
    await runner.query(
      'create unique index tracking_domains_organization_domain on tracking_domains (organization_id, domain)',
    );
    await runner.query(
      `create unique index tracking_domains_one_owner on tracking_domains (domain) where status = 'verified'`,
    );
    await runner.query(`create index tracking_domains_due on tracking_domains (recheck_at) where status = 'verified'`);
    await runner.query(`create table tracking_base_urls (
      organization_id uuid not null
        constraint tracking_base_urls_organization_id_fkey references organizations (id) on delete cascade,
      used_from timestamptz(3) not null,
      used_until timestamptz(3),
      domain text not null,
      base_url text not null,
      primary key (organization_id, used_from)
    )`);
    await runner.query(
      'create unique index tracking_base_urls_current on tracking_base_urls (organization_id) where used_until is null',
    );
    await runner.query('create index tracking_base_urls_domain on tracking_base_urls (domain)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table tracking_base_urls, tracking_domains');
  }
}
