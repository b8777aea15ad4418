import { plainArray, textArray } from '../../platform/database/array-literal.js';
import type { Database, Sql } from '../../platform/database/database.js';
import type { VerdictCode } from '../verdict.js';
import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { EventStore } from './event-store.js';
import { knownEmails } from './known-emails.js';
import { FIRST_CHANGE_REVISION } from './store-row.js';

/** Changes per transaction. */
const BATCH = 1_000;
/** Copies that were read before an erasure have ended by then: each has half of this time. */
const REMOVAL_DELAY_MS = 60_000;

/** An open or a click whose verdict is no longer the one that the stream says. */
export interface VerdictChange {
  readonly email: string;
  readonly id: string;
  readonly type: string;
  readonly linkPosition: number | null;
  readonly verdict: VerdictCode;
}

interface ChangeRow {
  readonly revision: string;
  readonly email: string;
  readonly id: string | null;
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

/** $1: milliseconds that an erasure waits. */
const TAKE = `
select id as revision, email, event_id as id, type, link_position as "linkPosition", verdict from event_store_changes
 where event_id is not null or changed_at < now() - $1 * interval '1 ms'
 order by id limit ${BATCH} for update skip locked`;

/** Records that emails are gone, if there is an event store. $1: IDs of the emails, before they are gone. */
export const FORGET_EMAILS = `
insert into event_store_changes (email)
select tracking_id from emails where id = any($1::uuid[]) and exists (select from event_store)`;

/** In the transaction that changes the verdicts; nothing without an event store. */
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

/**
 * Applies recorded changes to the store, and deletes them here. Any number of processes may do so.
 * @returns how many there were
 */
export async function applyChanges(
  database: Database,
  store: EventStore,
  removalDelayMs = REMOVAL_DELAY_MS,
): Promise<number> {
  let applied = 0;
  for (;;) {
    const count = await database.transaction(async (sql) => {
      const changes = await sql.query<ChangeRow>(TAKE, [removalDelayMs]);
      if (changes.length === 0) return 0;
      await insertVerdicts(sql, store, changes);
      await store.remove([...new Set(changes.filter(({ id }) => id === null).map(({ email }) => email))]);
      const revisions = changes.map(({ revision }) => revision);
      await sql.query('delete from event_store_changes where id = any($1::bigint[])', [revisions]);
      return changes.length;
    });
    applied += count;
    if (count < BATCH) return applied;
  }
}

async function insertVerdicts(sql: Sql, store: EventStore, changes: readonly ChangeRow[]): Promise<void> {
  const verdicts = changes.flatMap(({ id, ...change }) => (id === null ? [] : [{ ...change, id }]));
  const known = await knownEmails(
    sql,
    verdicts.map(({ email }) => email),
  );
  await store.insert(
    verdicts
      .filter(({ email }) => known.has(email))
      .map(({ revision, ...change }) => ({
        ...change,
        at: timeOfUuidV7(change.id),
        revision: Number(revision) + FIRST_CHANGE_REVISION,
      })),
  );
}
