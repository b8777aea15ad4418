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
 * Lists the emails to the person that exist now. Without a contact to lock, a send may create one meanwhile: its emails
 * are later than the request. A cursor, because each of its pages has the time of a statement: a person may have a
 * million emails. $1 contact, $2 organization, $3 key.
 */
const EMAILS_OF_PERSON = `
declare emails_of_person no scroll cursor for
select l.email_id as id, p.email_id is not null as "isPending"
  from (
    select email_id from contact_emails where contact_id = $1
    union all
    select c.email_id from email_contents c join emails e on e.id = c.email_id
     where ${namesAddress('$3')} and e.organization_id = $2
       and not exists (
         select from contact_emails o
          where o.contact_id = (select id from contacts where organization_id = $2 and address_key = $3)
            and o.email_id = c.email_id)
  ) l left join pending_emails p on p.email_id = l.email_id`;

const LISTED_AT_ONCE = 10_000;

/** $1 erasure, $2 emails, $3 their turns. */
const ADD_TO_LIST = `
insert into contact_erasure_emails (erasure_id, email_id, turn)
select $1, email_id, turn from unnest($2::uuid[], $3::smallint[]) as listed (email_id, turn)`;

const LAST_TURN = 32_767;

/**
 * Detaches the contact, which a later step deletes; deletes its suppressions and its entries in broadcasts; and lists
 * the emails from which the person still has to be erased.
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
    [id, organizationId, contact?.id ?? null, addressKey],
  );
  const emails = await listEmails(sql, id, person, contact?.id);
  if (contact) await sql.query(DETACH_CONTACT, [contact.id]);
  const suppressions = await sql.query(FORGET_SUPPRESSIONS, [organizationId, addressKey, null]);
  const resets = await sql.query(
    'delete from soft_bounce_resets where organization_id = $1 and address_key = $2 returning 1 as deleted',
    [organizationId, addressKey],
  );
  const isKnown =
    contact !== undefined || emails > 0 || [broadcasts, suppressions, resets].some((rows) => rows.length > 0);
  if (isKnown) return id;
  await sql.query('delete from contact_erasures where id = $1', [id]);
  return undefined;
}

/**
 * Lists the emails to the person in turns of one batch each: emails that are not final come first. Runs after the lock
 * of the contact, so that it sees every email that counts for the contact.
 * @returns the number of emails
 */
async function listEmails(sql: Sql, erasureId: string, person: Person, contactId?: string): Promise<number> {
  await sql.query(EMAILS_OF_PERSON, [contactId ?? null, person.organizationId, person.addressKey]);
  let emails = 0;
  let final = 0;
  for (;;) {
    const page = await sql.query<{ id: string; isPending: boolean }>(`fetch ${LISTED_AT_ONCE} from emails_of_person`);
    const turns = page.map(({ isPending }) =>
      isPending ? 0 : Math.min(1 + Math.floor(final++ / EMAILS_PER_TURN), LAST_TURN),
    );
    await sql.query(ADD_TO_LIST, [erasureId, page.map(({ id }) => id), turns]);
    emails += page.length;
    if (page.length < LISTED_AT_ONCE) break;
  }
  await sql.query('close emails_of_person');
  return emails;
}
