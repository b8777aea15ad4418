import { randomUUID } from 'node:crypto';
import type { Sql } from '../../src/platform/database/database.js';

/** Inserts an organization without an API key. */
export async function insertOrganization(sql: Sql): Promise<string> {
  const id = randomUUID();
  await sql.query(`insert into organizations (id, name, plan) values ($1, 'Backlog', 'pro')`, [id]);
  return id;
}

/**
 * Inserts accepted emails that are due and have no job. They are one second apart, in the past.
 * @param dispatchedAt SQL expression for the time when they got a job, if they have one
 */
export async function insertBacklog(
  sql: Sql,
  organizationId: string,
  emails: number,
  dispatchedAt = 'null::timestamptz',
): Promise<void> {
  await sql.query(
    `with made as (
       insert into emails (id, tracking_id, organization_id, contact_ids, status, created_at)
       select gen_random_uuid(), 'b-' || gen_random_uuid(), $1, '{}', 'queued', now() - n * interval '1 s'
         from generate_series(1, $2::integer) n
       returning id, organization_id, created_at
     ), content as (
       insert into email_contents (email_id, sender, to_addresses, subject, html)
       select id, 'ada@acme.example', array['reader@example.com'], 'S', '<p>x</p>' from made
     )
     insert into pending_emails (email_id, organization_id, due_at, dispatched_at)
     select id, organization_id, created_at, ${dispatchedAt} from made`,
    [organizationId, emails],
  );
}
