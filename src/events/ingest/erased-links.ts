import { ERASED_ADDRESS } from '../../emails/mailbox.js';
import type { Sql } from '../../platform/database/database.js';
import type { EventOfEmail } from './event-rows.js';

/** The `@` of an address: plain, URL-encoded at any level, or in HTML. */
const AT = '@|%(?:25)*40|&#0*64;|&#x0*40;';
const HAS_ADDRESS = new RegExp(AT, 'i');
const EACH_AT = new RegExp(AT, 'gi');
/** Stands for an `@` in any form. No URL contains it. */
const MARK = '\0';
const PART = /[^/?&=#;]+/g;

/** The links of those emails from which a recipient was erased. $1 ids. */
const LINKS = `
select c.email_id as id, l.urls from email_contents c left join email_links l on l.email_id = c.email_id
 where c.email_id = any($1::uuid[]) and '${ERASED_ADDRESS}' = any(c.to_addresses || c.cc_addresses || c.bcc_addresses)`;

/**
 * The link in the mailbox of an erased person still carries the address, if it is a personal link of an email to
 * several: such a click gets the stored URL, from which the address was erased. Only URLs with an address cost a query.
 * @param events of locked emails, changed in place
 */
export async function eraseFromClicks(sql: Sql, events: EventOfEmail[]): Promise<void> {
  const ids = new Set<string>();
  for (const { event, email } of events) if (event.type === 'clicked' && HAS_ADDRESS.test(event.url)) ids.add(email.id);
  if (ids.size === 0) return;
  const rows = await sql.query<{ id: string; urls: string[] | null }>(LINKS, [[...ids]]);
  const erased = new Map(rows.map(({ id, urls }) => [id, urls ?? []]));
  if (erased.size === 0) return;
  for (const [place, one] of events.entries()) {
    const { event, email } = one;
    const urls = erased.get(email.id);
    if (urls === undefined || event.type !== 'clicked') continue;
    const url = urls[event.linkPosition] ?? withoutAddresses(event.url);
    events[place] = { ...one, event: { ...event, url } };
  }
}

/**
 * Each part of a URL with an `@` becomes `erased`. In two steps, because one pattern takes the square of a long part.
 */
function withoutAddresses(url: string): string {
  return url.replace(EACH_AT, MARK).replace(PART, (part) => (part.includes(MARK) ? 'erased' : part));
}
