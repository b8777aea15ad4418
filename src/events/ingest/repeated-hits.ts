import type { Sql } from '../../platform/database/database.js';
import type { EventOfEmail } from './event-rows.js';
import type { SumOfEmail } from './event-sums.js';

/**
 * A batch has a hit that is already stored where no primary key shows it: one beyond the limit of its minute is in
 * `event_sums`, all others are in `events`.
 */
export class RepeatedHitError extends Error {}

/**
 * Call it for the hits of a minute of which some are beyond its limit.
 * @param stored the hits in `events` of the same email and minute
 * @throws RepeatedHitError
 */
export function refuseRepeats(stored: readonly { readonly id: string }[], hits: readonly EventOfEmail[]): void {
  const seen = new Set(stored.map(({ id }) => id));
  for (const { event } of hits) {
    if (seen.has(event.id)) throw new RepeatedHitError();
    seen.add(event.id);
  }
}

const FIND_SUM = 'select 1 from event_sums where id = any($1::uuid[]) limit 1';

/**
 * Emails of which no hit was ever beyond a limit, nearly all, need no query.
 * @param hits to be stored in `events`
 * @throws RepeatedHitError if one of them was beyond a limit when it was stored
 */
export async function refuseSummed(sql: Sql, hits: readonly EventOfEmail[]): Promise<void> {
  const ids = hits.filter(({ email }) => email.hitsSummed).map(({ event }) => event.id);
  if (ids.length > 0 && (await sql.query(FIND_SUM, [ids])).length > 0) throw new RepeatedHitError();
}

const MARK = 'update emails set hits_summed = true where id = any($1::uuid[])';

/** Marks the emails of hits beyond a limit, which `refuseSummed` then checks. The caller has locked them. */
export async function markSummed(sql: Sql, beyond: readonly SumOfEmail[]): Promise<void> {
  const ids = new Set(beyond.filter(({ email }) => !email.hitsSummed).map(({ email }) => email.id));
  if (ids.size > 0) await sql.query(MARK, [[...ids]]);
}
