import type { Sql } from '../platform/database/database.js';
import { InvalidKeyError, InvalidSessionError, NotAnOwnerError } from './access-errors.js';
import type { Author } from './audit/record-audit.js';

/** SQL condition on `api_keys`. */
export const IS_ACTIVE_KEY = 'revoked_at is null and (expires_at is null or expires_at > now())';

/** The lock makes a concurrent revocation wait, so that the list of keys then shows what this key has created. */
const FIND_KEY = `
select id from api_keys where id = $1 and organization_id = $2 and ${IS_ACTIVE_KEY} for share`;

const FIND_ROLE = `
select m.role from sessions s
  left join memberships m on m.user_id = s.user_id and m.organization_id = $2
 where s.id = $1`;

/**
 * For changes that give lasting access: requires that the key of the author still works, or that the user is still
 * signed in and an owner. Requests are admitted by keys, sessions and roles as they were seconds ago, and a caller who
 * has just lost access must not use these seconds to keep it.
 * @param sql a transaction that has locked the organization, as every change of roles does
 * @throws InvalidKeyError, InvalidSessionError, NotAnOwnerError
 */
export async function requireCurrentRights(sql: Sql, { organizationId, actor, sessionId }: Author): Promise<void> {
  if (actor.kind === 'operator') return;
  if (actor.kind === 'key') {
    const [key] = await sql.query(FIND_KEY, [actor.id, organizationId]);
    if (!key) throw new InvalidKeyError();
    return;
  }
  const [session] = await sql.query<{ role: string | null }>(FIND_ROLE, [sessionId ?? null, organizationId]);
  if (!session) throw new InvalidSessionError();
  if (session.role !== 'owner') throw new NotAnOwnerError();
}
