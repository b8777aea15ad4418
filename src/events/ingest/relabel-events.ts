import { plainArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';
import type { VerdictChange } from '../store/record-verdicts.js';
import type { CounterDeltas } from './counter-deltas.js';
import type { Relabelling } from './classify-events.js';

/**
 * Changes all rows of the events and returns the first one of each. $1 ids, $2 times in milliseconds, $3 verdicts, $4
 * and $5 the earliest and the latest time, which choose the partitions.
 */
const RELABEL = `
with changed as (
  update events v set verdict = new.verdict
  from unnest($1::uuid[], $2::float8[], $3::smallint[]) as new (id, at, verdict)
  where v.id = new.id and v.occurred_at = to_timestamp(new.at / 1000)
    and v.occurred_at between to_timestamp($4::float8 / 1000) and to_timestamp($5::float8 / 1000)
  returning v.id, v.ordinal, v.type, v.link_position, v.url
)
select id, type, link_position as "linkPosition", url from changed where ordinal = 1`;

type ChangedEvent = { readonly id: string } & (
  { readonly type: 'opened' } | { readonly type: 'clicked'; readonly linkPosition: number; readonly url: string }
);

/** Stores the new verdicts of stored events and moves their counters accordingly. @returns the changed events */
export async function relabelEvents(
  sql: Sql,
  relabellings: readonly Relabelling[],
  counters: CounterDeltas,
): Promise<VerdictChange[]> {
  if (relabellings.length === 0) return [];
  const times = relabellings.map(({ hit }) => hit.at);
  const changed = await sql.prepared<ChangedEvent>('flush-relabel', RELABEL, [
    plainArray(relabellings.map(({ hit }) => hit.id)),
    plainArray(times),
    plainArray(relabellings.map(({ verdict }) => verdict)),
    times.reduce((earliest, at) => Math.min(earliest, at)),
    times.reduce((latest, at) => Math.max(latest, at)),
  ]);
  const byId = new Map(relabellings.map((relabelling) => [relabelling.hit.id, relabelling]));
  return changed.map((event) => {
    const { hit, email, verdict } = byId.get(event.id)!;
    counters.relabel(event, email, hit.at, hit.verdict, verdict);
    const linkPosition = event.type === 'clicked' ? event.linkPosition : null;
    return { id: event.id, email: email.trackingId, type: event.type, linkPosition, verdict };
  });
}
