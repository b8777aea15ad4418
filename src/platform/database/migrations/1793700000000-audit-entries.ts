import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The audit log. There is no foreign key, because entries outlive the organization and their targets. Triggers keep the
 * table append-only for every login, including the owner; only `delete_expired_audit_entries` deletes entries, and none
 * younger than 30 days. A login with limited rights needs INSERT and SELECT on the table and EXECUTE on the function.
 */
export class AuditEntries1793700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table audit_entries (
        id uuid not null constraint audit_entries_pkey primary key,
        organization_id uuid,
        at timestamptz(3) not null default now(),
        actor_kind text not null,
        actor_id text not null,
        action text not null,
        target_kind text not null,
        target_id text,
        request_id text,
        details jsonb,
        constraint audit_entries_actor_kind check (actor_kind in ('key', 'user', 'operator'))
      );
      create index audit_entries_of_organization on audit_entries (organization_id, at, id);
      create index audit_entries_at on audit_entries (at);

      create function refuse_audit_change() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' and current_setting('mailbeacon.audit_retention', true) = 'on'
          and old.at < now() - interval '30 days' then
          return old;
        end if;
        raise exception 'audit_entries is append-only' using errcode = 'insufficient_privilege';
      end $$;
      create trigger audit_entries_append_only before update or delete on audit_entries
        for each row execute function refuse_audit_change();
      create trigger audit_entries_not_truncated before truncate on audit_entries
        for each statement execute function refuse_audit_change();

      create function delete_expired_audit_entries(days integer, most integer) returns integer
        language plpgsql security definer set search_path = public, pg_temp as $$
      declare
        deleted integer;
      begin
        -- Not a setting of the function: only a superuser may attach one that Postgres does not know.
        perform set_config('mailbeacon.audit_retention', 'on', true);
        delete from audit_entries
         where id in (select id from audit_entries where at < now() - make_interval(days => greatest(days, 30))
                       order by at limit most);
        get diagnostics deleted = row_count;
        perform set_config('mailbeacon.audit_retention', 'off', true);
        return deleted;
      end $$;
      revoke execute on function delete_expired_audit_entries(integer, integer) from public;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table audit_entries;
      drop function delete_expired_audit_entries(integer, integer);
      drop function refuse_audit_change();
    `);
  }
}
