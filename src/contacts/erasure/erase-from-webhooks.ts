import { addressKey as keyOf, bareAddress, ERASED_ADDRESS } from '../../emails/mailbox.js';
import type { Sql } from '../../platform/database/database.js';
import type { Person } from './person.js';

interface Row extends Record<string, unknown> {
  id: string;
  body: string;
}

/** The part of a body that has addresses of people. */
interface Body {
  readonly data?: { readonly to?: readonly string[]; readonly recipient?: string };
}

/** Waits for a worker that is claiming one of the deliveries. Deliveries are locked in this order everywhere. */
const LOCK = `select id from webhook_deliveries where email_id = any($1::uuid[]) order by id for update`;
/**
 * A call in flight has the address in its body, and its receiver may respond with it. Without its lease the worker
 * stores nothing of it, and the call is repeated without the person.
 */
const CALL_AGAIN = `
update webhook_deliveries set lease_token = null, next_attempt_at = date_trunc('milliseconds', now())
 where email_id = any($1::uuid[]) and lease_token is not null`;
const FIND = `select id, body from webhook_deliveries where id = any($1::uuid[]) and body is not null`;
const DELETE = `delete from webhook_deliveries where id = any($1::uuid[])`;
const REWRITE = `
update webhook_deliveries d set body = new.body
  from unnest($1::uuid[], $2::text[]) as new (id, body) where d.id = new.id`;
/** Receivers may respond with the body that they got, including names. $1 emails, $2 pattern. */
const ERASE_RESPONSES = `
update webhook_attempts a set answer = null, error = regexp_replace(a.error, $2, 'erased', 'gi')
  from webhook_deliveries d
 where d.email_id = any($1::uuid[]) and a.delivery_id = d.id and (a.answer is not null or a.error ~* $2)`;

/**
 * Bodies in memory at a time: an email can have hundreds of deliveries, each with 50 recipients and all its metadata.
 */
const BODIES = 200;

/** Deletes webhook deliveries about the person, and removes the address from deliveries about other recipients. */
export async function eraseFromWebhooks(sql: Sql, emailIds: readonly string[], person: Person): Promise<void> {
  const locked = await sql.query<{ id: string }>(LOCK, [emailIds]);
  await sql.query(CALL_AGAIN, [emailIds]);
  const ids = locked.map(({ id }) => id);
  for (let at = 0; at < ids.length; at += BODIES) await eraseFromBodies(sql, ids.slice(at, at + BODIES), person);
  await sql.query(ERASE_RESPONSES, [emailIds, person.pattern]);
}

async function eraseFromBodies(sql: Sql, ids: readonly string[], person: Person): Promise<void> {
  const deliveries = await sql.query<Row>(FIND, [ids]);
  const about = deliveries.filter(({ body }) => isAbout(body, person)).map(({ id }) => id);
  if (about.length > 0) await sql.query(DELETE, [about]);
  const rewritten = deliveries.flatMap(({ id, body }) => {
    const without = withoutPerson(body, person);
    return about.includes(id) || without === body ? [] : [{ id, body: without }];
  });
  if (rewritten.length > 0) {
    await sql.query(REWRITE, [rewritten.map(({ id }) => id), rewritten.map(({ body }) => body)]);
  }
}

function isAbout(body: string, { addressKey }: Person): boolean {
  const { data } = JSON.parse(body) as Body;
  return data?.recipient !== undefined && keyOf(data.recipient) === addressKey;
}

/** Removes names together with their addresses. The rest of the body stays byte for byte. */
function withoutPerson(body: string, { addressKey, jsonPattern }: Person): string {
  const { data } = JSON.parse(body) as Body;
  const named = (data?.to ?? []).filter((mailbox) => keyOf(bareAddress(mailbox)) === addressKey);
  const nameless = named.reduce(
    (text, mailbox) => text.replaceAll(JSON.stringify(mailbox), JSON.stringify(ERASED_ADDRESS)),
    body,
  );
  return nameless.replace(new RegExp(jsonPattern, 'gi'), 'erased');
}
