import type { Database, Sql } from '../../platform/database/database.js';
import type { VerdictCode } from '../verdict.js';
import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import { WAIT_FOR_STORE, type EventStore } from './event-store.js';
import { knownEmails } from './known-emails.js';
import { FIRST_CHANGE_REVISION, type StoreRow } from './store-row.js';

/** How many changes are applied at once. */
export const CHANGES_AT_ONCE = 1_000;
/** Copies that were read before an erasure have ended by then, because each may take half of this time. */
const REMOVAL_DELAY_MS = 60_000;

interface ChangeRow {
  readonly revision: string;
  readonly email: string;
  readonly id: string | null;
  readonly type: string;
  readonly linkPosition: number | null;
  readonly verdict: VerdictCode;
}

/** $1: milliseconds that an erasure waits. */
const TAKE = `
select id as revision, email, event_id as id, type, link_position as "linkPosition", verdict from event_store_changes
 where event_id is not null or changed_at < now() - $1 * interval '1 ms'
 order by id limit ${CHANGES_AT_ONCE} for update skip locked`;

/**
 * Applies the oldest recorded changes to the store, and deletes their records in Postgres. Any number of processes
 * may do so.
 * @returns how many there were; more may be left if these were `CHANGES_AT_ONCE`
 */
export async function applyChanges(
  database: Database,
  store: EventStore,
  removalDelayMs = REMOVAL_DELAY_MS,
): Promise<number> {
  return database.transaction(async (sql) => {
    await sql.query(WAIT_FOR_STORE);
    const changes = await sql.query<ChangeRow>(TAKE, [removalDelayMs]);
    if (changes.length === 0) return 0;
    await insertVerdicts(sql, store, changes);
    await store.remove([...new Set(changes.filter(({ id }) => id === null).map(({ email }) => email))]);
    const revisions = changes.map(({ revision }) => revision);
    await sql.query('delete from event_store_changes where id = any($1::bigint[])', [revisions]);
    return changes.length;
  });
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
        ...(change.type === 'summed' && sumOfOne(change)),
        at: timeOfUuidV7(change.id),
        revision: Number(revision) + FIRST_CHANGE_REVISION,
      })),
  );
}

/** A hit that was only counted: as a sum it has no link. */
function sumOfOne({
  linkPosition,
}: Pick<ChangeRow, 'linkPosition'>): Pick<StoreRow, 'opens' | 'clicks' | 'linkPosition'> {
  return linkPosition === null ? { opens: 1 } : { clicks: 1, linkPosition: null };
}
