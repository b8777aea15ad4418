import { randomUUID } from 'node:crypto';
import type { Sql } from '../../src/platform/database/database.js';

/** Inserts the draft of a broadcast without recipients. @returns its ID */
export async function insertDraft(sql: Sql, organizationId: string): Promise<string> {
  const id = randomUUID();
  await sql.query(
    `with message as (insert into messages (id, organization_id, subject) values ($1, $2, 'Hi') returning id)
     insert into broadcasts (id, organization_id, message_id, name, sender)
     select $1, $2, id, 'News', 'news@acme.example' from message`,
    [id, organizationId],
  );
  return id;
}
