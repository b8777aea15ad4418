import { csvLine, guardFormula } from '../platform/csv/csv-text.js';
import { storedPart } from '../platform/addresses/stored-part.js';
import type { Sql } from '../platform/database/database.js';
import type { SuppressionFilter } from './suppression-requests.js';
import { strengthOf, toSuppressionView, type SuppressionRow } from './suppression-view.js';

const COLUMNS = ['address', 'reason', 'scope', 'emailId', 'note', 'createdAt'] as const;
const PAGE = 2_000;

/**
 * The entries that match, as CSV with a header row, in pieces. The list is read in pages, so the export holds no
 * transaction and needs little memory, however few entries match. It has every address that stays suppressed throughout
 * the export, exactly once.
 */
export async function* exportSuppressions(
  sql: Sql,
  organizationId: string,
  { search, reason }: SuppressionFilter = { search: '' },
): AsyncGenerator<string> {
  const part = storedPart(search);
  const matches = (row: SuppressionRow): boolean =>
    row.address_key.includes(part) && (reason === undefined || row.reason === reason);
  let header = csvLine(COLUMNS);
  for (let after: string | undefined = ''; after !== undefined; header = '') {
    const rows: SuppressionRow[] = await readPage(sql, organizationId, after);
    yield header + rows.filter(matches).map(lineOf).join('');
    after = rows.length < PAGE ? undefined : rows.at(-1)!.address_key;
  }
}

function readPage(sql: Sql, organizationId: string, after: string): Promise<SuppressionRow[]> {
  return sql.query<SuppressionRow>(
    `select distinct on (address_key) address_key, address, reason, email_id, note, created_at from suppressions
      where organization_id = $1 and address_key > $2
      order by address_key, ${strengthOf('reason')} limit $3`,
    [organizationId, after, PAGE],
  );
}

function lineOf(row: SuppressionRow): string {
  const entry = toSuppressionView(row);
  return csvLine(COLUMNS.map((column) => guardFormula(entry[column] ?? '')));
}
