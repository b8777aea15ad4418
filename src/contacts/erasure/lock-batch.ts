import type { Sql } from '../../platform/database/database.js';

/** Emails per turn and per transaction: few enough that nothing waits for long. */
export const EMAILS_PER_TURN = 500;

/** Emails whose rows this transaction has locked, grouped by what is left of them without the person. */
export interface Batch {
  /** Only to the person, so everything in them is deleted. */
  readonly alone: readonly string[];
  /** Also to others, so only the person's data is deleted. */
  readonly shared: readonly string[];
  /** The shared emails that are not final and no longer have a recipient in `to`. */
  readonly ending: readonly string[];
  /** The shared emails that are not final and stay without the person. */
  readonly going: readonly string[];
}

/** Takes locks in the same order as all statements: broadcasts, pending emails, emails. */
const LOCK_BROADCASTS = `
select b.id from broadcasts b
 where b.id in (select broadcast_id from pending_emails where email_id = any($1::uuid[]))
 order by b.id for no key update`;
const LOCK_PENDING = `
select email_id as id, lease_token is not null as "isLeased" from pending_emails
 where email_id = any($1::uuid[]) order by email_id for update`;
const LOCK_EMAILS = `select id from emails where id = any($1::uuid[]) order by id for no key update`;

/** Statements after the locks, so that they see what the previous holders did. */
const PENDING = `select email_id as id from pending_emails where email_id = any($1::uuid[])`;
const AUDIENCES = `
select email_id as id,
  exists (select from unnest(mailbox_keys(to_addresses || cc_addresses || bcc_addresses)) as key
           where key not in ($2, $3)) as "hasOthers",
  exists (select from unnest(mailbox_keys(to_addresses)) as key where key not in ($2, $3)) as "hasOthersInTo"
  from email_contents where email_id = any($1::uuid[])`;

interface Audience extends Record<string, unknown> {
  id: string;
  hasOthers: boolean;
  hasOthersInTo: boolean;
}

/**
 * Locks emails, except those that a worker is delivering: a delivery stores its outcome with the address under this
 * lock, so the erasure of such an email waits until the delivery ends.
 * @param keys the person's address and the one that stands for erased people
 */
export async function lockBatch(sql: Sql, listed: readonly string[], keys: readonly [string, string]): Promise<Batch> {
  await sql.query(LOCK_BROADCASTS, [listed]);
  const locked = await sql.query<{ id: string; isLeased: boolean }>(LOCK_PENDING, [listed]);
  await sql.query(LOCK_EMAILS, [listed]);
  const pending = await sql.query<{ id: string }>(PENDING, [listed]);
  const free = new Set(locked.filter(({ isLeased }) => !isLeased).map(({ id }) => id));
  // A retry may have queued an email between the two locks.
  const busy = new Set(pending.filter(({ id }) => !free.has(id)).map(({ id }) => id));
  const isPending = new Set(pending.map(({ id }) => id));

  const ids = listed.filter((id) => !busy.has(id));
  const audiences = await sql.query<Audience>(AUDIENCES, [ids, ...keys]);
  const toOthers = new Set(audiences.filter(({ hasOthers }) => hasOthers).map(({ id }) => id));
  const toOthersFirst = new Set(audiences.filter(({ hasOthersInTo }) => hasOthersInTo).map(({ id }) => id));
  return {
    alone: ids.filter((id) => !toOthers.has(id)),
    shared: ids.filter((id) => toOthers.has(id)),
    ending: ids.filter((id) => isPending.has(id) && !toOthersFirst.has(id)),
    going: ids.filter((id) => isPending.has(id) && toOthersFirst.has(id)),
  };
}
