import type { Sql } from '../../platform/database/database.js';
import { portionsOf } from '../../platform/memory/portions.js';
import { idPages, itemPages, type ItemPlace } from './export-pages.js';
import { EMAILS, EMAILS_OF_PERSON, LENGTHS, WEBHOOKS } from './export-statements.js';

/** Items per statement. */
const EMAILS_PAGE = 50;
const WEBHOOKS_PAGE = 5_000;
/** An email can have some 10 MB: a page ends before it has more than this. */
const EMAILS_PAGE_BYTES = 4_000_000;

type Row = Record<string, unknown> & {
  readonly id: string;
  readonly item: string;
  /** That of the last webhook delivery of the item, if there may be more. */
  readonly place: ItemPlace | null;
};

/** The emails of a person as a list of JSON items, in pieces. */
export async function* emailPieces(
  sql: Sql,
  person: readonly [organizationId: string, key: string, contactId: string | null],
): AsyncGenerator<string> {
  let before = '';
  for await (const ids of idPages(sql, EMAILS_OF_PERSON, person, EMAILS_PAGE)) {
    for (const page of await shortPages(sql, ids)) {
      const rows = await sql.query<Row>(EMAILS, [page, person[1]]);
      // Erased emails are missing.
      if (rows.length === 0) continue;
      yield* piecesOf(sql, rows, before);
      before = ',';
    }
  }
}

/** An email can have any number of webhook deliveries: those that its item lacks are read in pages. */
async function* piecesOf(sql: Sql, rows: readonly Row[], before: string): AsyncGenerator<string> {
  let text = before;
  for (const [index, { id, item, place }] of rows.entries()) {
    if (index > 0) text += ',';
    if (place === null) {
      text += item;
      continue;
    }
    const end = ']}';
    yield text + item.slice(0, -end.length);
    for await (const page of itemPages(sql, WEBHOOKS, [id], WEBHOOKS_PAGE, place)) yield `,${page}`;
    text = end;
  }
  yield text;
}

/** Splits emails into pages that fit into memory. */
async function shortPages(sql: Sql, ids: readonly string[]): Promise<string[][]> {
  const emails = await sql.query<{ id: string; bytes: number }>(LENGTHS, [ids]);
  const pages = portionsOf(emails, EMAILS_PAGE_BYTES, ({ bytes }) => bytes);
  return pages.map((page) => page.map(({ id }) => id));
}
