import { uuidV7 } from '../../platform/clock/uuid-v7.js';
import type { Sql } from '../../platform/database/database.js';
import { FORGET_SUPPRESSIONS } from './forget-suppressions.js';
import { EMAILS_PER_TURN } from './lock-batch.js';
import type { Person } from './person.js';
import { namesAddress } from './shared-emails.sql.js';

/** Broadcasts come first in the lock order. A recipient that is added later is a new one. $1 organization, $2 key. */
const LOCK_BROADCASTS = `
select b.id from broadcasts b
 where b.organization_id = $1 and exists (
   select from broadcast_recipients r where r.broadcast_id = b.id and r.address_key = $2)
 order by b.id for no key update of b`;

/** A broadcast in progress counts as if the person had never been added; the totals of one that has ended stay. */
const FORGET_RECIPIENTS = `
with gone as (
  delete from broadcast_recipients where broadcast_id = any($1::uuid[]) and address_key = $2 returning broadcast_id, place
)
update broadcasts b
   set recipients = b.recipients - 1, suppressed = b.suppressed - (gone.place is null)::integer
  from gone where b.id = gone.broadcast_id and b.status not in ('sent', 'canceled')`;

const LOCK_CONTACT = `select id from contacts where organization_id = $1 and address_key = $2 for update`;

/** From here on the contact belongs to no organization: a send to the address creates a new one. */
const DETACH_CONTACT = `
with unsearchable as (delete from contact_search where contact_id = $1)
update contacts set organization_id = null, address_key = '', address = '' where id = $1`;

/**
 * Lists the emails to the person that exist now, in turns of one batch each: emails that are not final come first. A
 * statement after the lock of the contact, so that it sees every email that counts for the contact. $1 erasure, $2
 * contact, $3 organization, $4 key.
 */
const LIST_EMAILS = `
with listed as (
  select email_id from contact_emails where contact_id = $2
  union
  select c.email_id from email_contents c join emails e on e.id = c.email_id
   where ${namesAddress('$4')} and e.organization_id = $3
),
-- Counted here: the rows of a million emails would fill the memory of the caller.
inserted as (
  insert into contact_erasure_emails (erasure_id, turn, email_id)
  select $1, case when p.email_id is null
           then least(1 + (row_number() over (partition by p.email_id is null order by l.email_id) - 1) / ${EMAILS_PER_TURN}, 32767)
           else 0 end, l.email_id
    from listed l left join pending_emails p on p.email_id = l.email_id
  returning 1
)
select count(*)::integer as emails from inserted`;

/**
 * Detaches the contact, which a later step deletes; deletes its suppressions and its entries in broadcasts; and lists the
 * emails from which the person still has to be erased.
 * @returns the ID of the erasure, or undefined when nothing is known about the person
 */
export async function beginErasure(sql: Sql, person: Person): Promise<string | undefined> {
  const { organizationId, addressKey } = person;
  const id = uuidV7(Date.now());
  const broadcasts = await sql.query<{ id: string }>(LOCK_BROADCASTS, [organizationId, addressKey]);
  if (broadcasts.length > 0)
    await sql.query(FORGET_RECIPIENTS, [broadcasts.map((broadcast) => broadcast.id), addressKey]);
  const [contact] = await sql.query<{ id: string }>(LOCK_CONTACT, [organizationId, addressKey]);
  await sql.query(
    'insert into contact_erasures (id, organization_id, contact_id, address_key) values ($1, $2, $3, $4)',
    [...[id, organizationId, contact?.id ?? null, addressKey]],
  );
  const [listed] = await sql.query<{ emails: number }>(LIST_EMAILS, [
    id,
    contact?.id ?? null,
    organizationId,
    addressKey,
  ]);
  if (contact) await sql.query(DETACH_CONTACT, [contact.id]);
  const suppressions = await sql.query(FORGET_SUPPRESSIONS, [organizationId, addressKey, null]);
  const resets = await sql.query(
    'delete from soft_bounce_resets where organization_id = $1 and address_key = $2 returning 1 as deleted',
    [organizationId, addressKey],
  );
  const isKnown =
    contact !== undefined || listed!.emails > 0 || [broadcasts, suppressions, resets].some((rows) => rows.length > 0);
  if (isKnown) return id;
  await sql.query('delete from contact_erasures where id = $1', [id]);
  return undefined;
}
