import { cancelBroadcasts } from '../../broadcasts/cancel-broadcasts.js';
import { blockLinks } from '../../links/blocking/blocked-links.js';
import type { Sql } from '../../platform/database/database.js';

/** No worker claims mail of a paused organization. */
const PAUSE = `
insert into sending_guards (organization_id, state, suspended, reason) values ($1, 'paused', true, 'It is being deleted')
on conflict (organization_id) do update set state = 'paused', suspended = true, reason = excluded.reason`;

/** Otherwise a concurrent invitation elsewhere would be deleted with its user. */
const LOCK_USERS = `
select from users where id in (select user_id from memberships where organization_id = $1) order by id for update`;

/** Deletes users who were in no other organization. */
const DELETE_USERS = `
with left_behind as (
  delete from memberships where organization_id = $1 returning user_id
)
delete from users u using left_behind l
 where u.id = l.user_id
   and not exists (select from memberships m where m.user_id = u.id and m.organization_id <> $1)`;

/**
 * Marks an organization as deleted. From this commit on its mail is not sent and its webhooks are not called; within 5
 * seconds its keys get 401 everywhere, its people are signed out, and its links respond like unknown ones. A recurring
 * job deletes the rest.
 * @param sql a transaction
 * @returns false if it was marked before
 */
export async function markDeleted(sql: Sql, organizationId: string): Promise<boolean> {
  const [marked] = await sql.query<{ id: string }>(
    'update organizations set deleted_at = now() where id = $1 and deleted_at is null returning id',
    [organizationId],
  );
  if (!marked) return false;
  // Always in lower case, as links name it: blocked links are compared as text.
  const { id } = marked;
  await sql.query(PAUSE, [id]);
  await sql.query('delete from api_keys where organization_id = $1', [id]);
  await sql.query(LOCK_USERS, [id]);
  await sql.query(DELETE_USERS, [id]);
  await sql.query('update webhook_endpoints set enabled = false where organization_id = $1', [id]);
  await cancelBroadcasts(sql, id);
  await blockLinks(sql, { kind: 'deleted', value: id });
  return true;
}
