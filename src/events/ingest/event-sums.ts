import { plainArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';
import type { EventSum, MachineHits } from '../engagement-event.js';
import type { KnownEmail } from './lock-emails.js';
import type { CounterDeltas } from './counter-deltas.js';

export interface SumOfEmail {
  readonly event: EventSum;
  readonly email: KnownEmail;
  /** Links whose clicks without a sign of a machine are a scanner's. The rules of time find them. */
  readonly scanned: Set<number>;
}

/** Clicks without a sign of a machine, by link. */
export function unsignedClicks({ clicks, machines = [] }: EventSum): EventSum['clicks'] {
  const byMachines = new Map<number, number>();
  for (const { linkPosition, hits } of machines) {
    if (linkPosition !== undefined) byMachines.set(linkPosition, (byMachines.get(linkPosition) ?? 0) + hits);
  }
  return clicks
    .map(({ linkPosition, clicks: all }) => ({ linkPosition, clicks: all - (byMachines.get(linkPosition) ?? 0) }))
    .filter(({ clicks: unsigned }) => unsigned > 0);
}

/** Moves the clicks on scanned links to those of machines. */
export function withScanned({ event, email, scanned }: SumOfEmail): SumOfEmail {
  const scans = unsignedClicks(event)
    .filter(({ linkPosition }) => scanned.has(linkPosition))
    .map(({ linkPosition, clicks: hits }): MachineHits => ({ class: 'scanner', linkPosition, hits }));
  if (scans.length === 0) return { event, email, scanned };
  return { event: { ...event, machines: [...(event.machines ?? []), ...scans] }, email, scanned };
}

/**
 * The primary key rejects a sum that is already counted. $1 ids, $2 emails, $3 opens, $4 clicks, $5 and $6 those of
 * them by machines.
 */
const STORE = `
insert into event_sums (id, email_id, opens, clicks, machine_opens, machine_clicks)
select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])`;

/**
 * Clicked links of sent emails. All links of an email can have megabytes: its list is read once (an appended empty list
 * decompresses it before the clicked ones are looked up), and a row is made only for each clicked link. $1 ids of
 * emails, $2 places from 1.
 */
const LINKS = `
select clicked.email_id as "emailId", list.urls[link.place] as url, link.place - 1 as "linkPosition"
  from (select email_id, array_agg(distinct place) as places
          from unnest($1::uuid[], $2::int[]) as clicks (email_id, place) group by email_id) clicked
 cross join lateral (select urls || '{}'::text[] as urls from email_links where email_id = clicked.email_id offset 0) list
 cross join unnest(clicked.places) as link (place)
 where link.place <= cardinality(list.urls)`;

/** Stores just enough of a counted sum to recognize a repeat. */
export async function storeSums(sql: Sql, sums: readonly SumOfEmail[]): Promise<void> {
  if (sums.length === 0) return;
  await sql.query(STORE, [
    sums.map(({ event }) => event.id),
    sums.map(({ email }) => email.id),
    sums.map(({ event }) => event.opens),
    sums.map(({ event }) => event.clicks.reduce((total, { clicks }) => total + clicks, 0)),
    sums.map(({ event }) => machineHits(event, ({ linkPosition }) => linkPosition === undefined)),
    sums.map(({ event }) => machineHits(event, ({ linkPosition }) => linkPosition !== undefined)),
  ]);
}

function machineHits({ machines = [] }: EventSum, which: (hits: MachineHits) => boolean): number {
  return machines.filter(which).reduce((total, { hits }) => total + hits, 0);
}

/**
 * Resolves the URLs of sums, because campaigns count by URL. An email never recorded as sent has none; its clicks are
 * missing only there.
 */
export async function resolveLinks(sql: Sql, counters: CounterDeltas): Promise<void> {
  const { unresolvedClicks } = counters;
  if (unresolvedClicks.length === 0) return;
  const links = await sql.query<{ emailId: string; linkPosition: number; url: string }>(LINKS, [
    plainArray(unresolvedClicks.map(({ emailId }) => emailId)),
    plainArray(unresolvedClicks.map(({ linkPosition }) => linkPosition + 1)),
  ]);
  const urls = new Map(links.map(({ emailId, linkPosition, url }) => [`${emailId}/${linkPosition}`, url]));
  for (const clicks of unresolvedClicks) {
    const url = urls.get(`${clicks.emailId}/${clicks.linkPosition}`);
    if (url !== undefined) counters.resolve(clicks, url);
  }
}
