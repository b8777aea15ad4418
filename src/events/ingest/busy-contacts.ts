import type { KnownEmail } from './lock-emails.js';

/**
 * Beyond this many emails to one contact, it takes less time to read all of its events once, at 1.2 µs each, than to
 * search the index over them for each email, at 0.02 µs for each event and email.
 */
const MANY_EMAILS = 50;

/** Separates emails, or items about them, by whether their first contact has many. */
export function splitByContact<Item extends { readonly email: KnownEmail }>(
  items: readonly Item[],
): { readonly ofBusy: readonly Item[]; readonly ofOthers: readonly Item[] } {
  if (items.length <= MANY_EMAILS) return { ofBusy: [], ofOthers: items };
  const counts = new Map<string, number>();
  for (const { email } of items) counts.set(contactOf(email), (counts.get(contactOf(email)) ?? 0) + 1);
  const isOfBusy = ({ email }: Item): boolean => counts.get(contactOf(email))! > MANY_EMAILS;
  return { ofBusy: items.filter(isOfBusy), ofOthers: items.filter((item) => !isOfBusy(item)) };
}

/** An event has a row for each contact of its email. The rows of the first one cover every event. */
export function contactOf({ contactIds }: KnownEmail): string {
  return contactIds[0]!;
}
