import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People who sign in, their roles in organizations, the links they get by email, and their sessions. */
export class Users1793740000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table users (
      id uuid not null,
      email text not null,
      password_hash text,
      sealed_totp_secret text,
      totp_confirmed_at timestamptz(3),
      totp_last_step integer,
      recovery_code_hashes bytea[] not null default '{}',
      oidc_subject text,
      created_at timestamptz(3) not null default now(),
      constraint users_pkey primary key (id),
      constraint users_email_key unique (email)
    )`);
    await runner.query(`create table memberships (
      user_id uuid not null,
      organization_id uuid not null,
      role text not null,
      created_at timestamptz(3) not null default now(),
      constraint memberships_pkey primary key (user_id, organization_id),
      constraint memberships_role check (role in ('owner', 'member', 'viewer')),
      constraint memberships_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
      constraint memberships_organization_id_fkey
        foreign key (organization_id) references organizations (id) on delete cascade
    )`);
    await runner.query(`create index memberships_organization_id on memberships (organization_id)`);
    await runner.query(`create table user_tokens (
      token_hash bytea not null,
      user_id uuid not null,
      purpose text not null,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null,
      constraint user_tokens_pkey primary key (token_hash),
      constraint user_tokens_purpose check (purpose in ('password', 'sign-in')),
      constraint user_tokens_user_id_fkey foreign key (user_id) references users (id) on delete cascade
    )`);
    await runner.query(`create index user_tokens_user_id on user_tokens (user_id)`);
    await runner.query(`create index user_tokens_expires_at on user_tokens (expires_at)`);
    await runner.query(`create table sessions (
      id uuid not null,
      token_hash bytea not null,
      user_id uuid not null,
      organization_id uuid,
      second_factor boolean not null,
      created_at timestamptz(3) not null default now(),
      last_seen_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null,
      constraint sessions_pkey primary key (id),
      constraint sessions_token_hash_key unique (token_hash),
      constraint sessions_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
      constraint sessions_organization_id_fkey
        foreign key (organization_id) references organizations (id) on delete set null
    )`);
    await runner.query(`create index sessions_user_id on sessions (user_id)`);
    await runner.query(`create index sessions_organization_id on sessions (organization_id)`);
    await runner.query(`create index sessions_expires_at on sessions (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['sessions', 'user_tokens', 'memberships', 'users']) await runner.query(`drop table ${table}`);
  }
}
