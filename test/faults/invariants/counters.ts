import type { Observations, StoredEmail, StoredEvent } from '../observations.js';
import { countBy, counts, differences, groupBy } from './invariant.js';

/** L5, counters: every counter equals the number of rows that it counts. */
export function* countersMatch(observations: Observations): Iterable<string> {
  const { emails, events, contacts, campaigns } = observations.stored;
  const own = groupBy(
    events.filter(({ ordinal, type }) => ordinal === 1 && type !== 'sent'),
    ({ emailId }) => emailId,
  );
  const opensOf = (of: readonly StoredEmail[]) => number(of, own, 'opened');
  const clicksOf = (of: readonly StoredEmail[]) => number(of, own, 'clicked');
  for (const email of emails) {
    yield* same(`opens of the email ${email.id}`, email.opens, opensOf([email]));
    yield* same(`clicks of the email ${email.id}`, email.clicks, clicksOf([email]));
    const clicks = (own.get(email.id) ?? []).filter(({ type }) => type === 'clicked');
    const byPosition = countBy(clicks, ({ position }) => String(position));
    yield* differences(`clicks of ${email.id} on the link`, table(email.clicksByPosition), byPosition);
  }
  for (const { address, ...contact } of contacts) {
    const mail = emails.filter((email) => email.contacts.includes(address));
    const named = mail.filter(counts).flatMap(({ campaign }) => campaign ?? []);
    yield* same(`emails of the contact ${address}`, contact.emails, mail.filter(counts).length);
    yield* same(`opens of the contact ${address}`, contact.opens, opensOf(mail));
    yield* same(`clicks of the contact ${address}`, contact.clicks, clicksOf(mail));
    yield* same(`campaigns of the contact ${address}`, sorted(contact.campaigns), sorted(new Set(named)));
    yield* same(`email IDs of the contact ${address}`, sorted(contact.emailIds), sorted(mail.map(({ id }) => id)));
  }
  const known = new Set(contacts.map(({ address }) => address));
  const unknownAddresses = emails.flatMap((email) => email.contacts).filter((address) => !known.has(address));
  if (unknownAddresses.length > 0) yield `${unknownAddresses.length} contacts are not stored: ${unknownAddresses[0]}`;
  for (const { name, ...campaign } of campaigns) {
    const mail = emails.filter((email) => email.campaign === name);
    yield* same(`emails of the campaign ${name}`, campaign.emails, mail.filter(counts).length);
    yield* same(`opens of the campaign ${name}`, campaign.opens, opensOf(mail));
    yield* same(`clicks of the campaign ${name}`, campaign.clicks, clicksOf(mail));
    yield* campaignLinksMatch(name, campaign.links, mail, own);
  }
}

/** A campaign lists every link of its sent emails, clicked or not. */
function* campaignLinksMatch(
  name: string,
  links: Readonly<Record<string, number>>,
  mail: readonly StoredEmail[],
  own: ReadonlyMap<string, readonly StoredEvent[]>,
): Iterable<string> {
  const clicks = mail.flatMap(({ id }) => own.get(id) ?? []).filter(({ type }) => type === 'clicked');
  const byUrl = countBy(clicks, ({ url }) => url!);
  yield* differences(`clicks in the campaign ${name} on`, table(links), byUrl);
  const urls = new Set(mail.filter(({ status }) => status === 'sent').flatMap((email) => email.urls));
  const lacking = [...urls].filter((url) => !(url in links));
  if (lacking.length > 0) yield `the campaign ${name} lacks ${lacking.length} links: ${lacking[0]}`;
}

function number(
  emails: readonly StoredEmail[],
  own: ReadonlyMap<string, readonly StoredEvent[]>,
  type: string,
): number {
  const events = emails.flatMap(({ id }) => own.get(id) ?? []);
  return events.filter((event) => event.type === type).length;
}

function* same(what: string, found: string | number, expected: string | number): Iterable<string> {
  if (found !== expected) yield `${what}: ${found}, not ${expected}`;
}

function table(record: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  return new Map(Object.entries(record));
}

function sorted(names: Iterable<string>): string {
  return [...names].sort().join(', ');
}
