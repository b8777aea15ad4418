import type { Sql } from '../../platform/database/database.js';
import { isOneOf } from '../../platform/database/one-of.js';
import { OPERATOR_BLOCKS, type StoredBlockKind } from './block-kinds.js';
import type { StoredBlocks } from './deny-list.js';

/** An entry that an operator can create. */
export interface LinkBlock {
  readonly kind: (typeof OPERATOR_BLOCKS)[number];
  /** See `BlockedLink.value`. */
  readonly value: string;
}

/** @returns false if it was blocked already */
export async function blockLinks(
  sql: Sql,
  { kind, value }: { kind: StoredBlockKind; value: string },
): Promise<boolean> {
  const added = await sql.query(
    'insert into blocked_links (kind, value) values ($1, $2) on conflict do nothing returning kind',
    [kind, value],
  );
  return added.length > 0;
}

/** @returns false if it was not blocked */
export async function unblockLinks(sql: Sql, { kind, value }: LinkBlock): Promise<boolean> {
  const removed = await sql.query('delete from blocked_links where kind = $1 and value = $2 returning kind', [
    kind,
    value,
  ]);
  return removed.length > 0;
}

/** The entries of operators, newest first, without deleted organizations. */
export async function listBlockedLinks(sql: Sql): Promise<(LinkBlock & { readonly since: string })[]> {
  const rows = await sql.query<{ kind: LinkBlock['kind']; value: string; created_at: Date }>(
    `select kind, value, created_at from blocked_links where ${isOneOf('kind', OPERATOR_BLOCKS)}
      order by created_at desc, kind, value`,
  );
  return rows.map(({ kind, value, created_at }) => ({ kind, value, since: created_at.toISOString() }));
}

/** @returns `text` stays the same as long as the entries do */
export async function readDenyList(sql: Sql): Promise<{ readonly blocks: StoredBlocks; readonly text: string }> {
  // No value contains a space. One row per kind, because this runs every other second.
  const rows = await sql.prepared<{ kind: StoredBlockKind; entries: string }>(
    'read-deny-list',
    `select kind, string_agg(value, ' ' order by value) as entries from blocked_links group by kind order by kind`,
    [],
  );
  const blocks = Object.fromEntries(rows.map(({ kind, entries }) => [kind, entries.split(' ')]));
  return { blocks, text: JSON.stringify(rows) };
}
