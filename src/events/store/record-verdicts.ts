import { plainArray, textArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';
import type { VerdictCode } from '../verdict.js';

/** An open or a click whose verdict no longer equals the one in the stream, or that was only counted (`summed`). */
export interface VerdictChange {
  readonly email: string;
  readonly id: string;
  readonly type: string;
  readonly linkPosition: number | null;
  readonly verdict: VerdictCode;
}

/** $1 events, $2 tracking IDs, $3 types, $4 link positions with -1 for none, $5 verdicts. */
const RECORD = `
insert into event_store_changes (event_id, email, type, link_position, verdict)
select id, email, type, nullif(position, -1), verdict
  from unnest($1::uuid[], $2::text[], $3::text[], $4::integer[], $5::smallint[]) as new (id, email, type, position, verdict)
 where exists (select from event_store)`;

/** Runs in the transaction that changes the verdicts; does nothing without an event store. */
export async function recordVerdicts(sql: Sql, changes: readonly VerdictChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sql.query(RECORD, [
    plainArray(changes.map(({ id }) => id)),
    textArray(changes.map(({ email }) => email)),
    textArray(changes.map(({ type }) => type)),
    plainArray(changes.map(({ linkPosition }) => linkPosition ?? -1)),
    plainArray(changes.map(({ verdict }) => verdict)),
  ]);
}
