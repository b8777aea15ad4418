import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The migration only adds, so an older build can run alongside this one; the provider's result follows with the next
 * check.
 */
export class ProviderSignatures1791100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of reverseStatements) await runner.query(statement);
  }
}

const statements = [
  `alter table sending_domains
     add column provider_signs boolean not null default false,
     add column provider_domain_id text,
     add column sender_refused_at timestamptz(3),
     add column sender_refusal text`,
  // Senders stay on the domains whose records the provider had found.
  `update sending_domains set provider_signs = true
    where records @> '[{"purpose": "dkim", "type": "CNAME", "found": true}]'
      and not records @> '[{"purpose": "dkim", "found": false}]'`,
  `create table provider_domain_removals (
     provider_domain_id text not null constraint provider_domain_removals_pkey primary key,
     domain text not null,
     created_at timestamptz(3) not null default now()
   )`,
];

const reverseStatements = [
  'drop table provider_domain_removals',
  `alter table sending_domains
     drop column provider_signs, drop column provider_domain_id,
     drop column sender_refused_at, drop column sender_refusal`,
];
