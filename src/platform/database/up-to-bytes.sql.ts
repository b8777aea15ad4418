/**
 * Bytes that one statement may delete or rewrite: Postgres deletes about 100 MB a second, and a statement
 * has 15 seconds.
 */
export const STATEMENT_BYTES = 64 * 1024 * 1024;

/**
 * The first rows of a page until they have `maxBytes` together, but at least one: with large rows, a number of rows
 * does not bound the time of a statement.
 * @param column the column that orders the rows and is returned
 * @param page a query that returns it together with `bytes`
 */
export function upToBytes(column: string, page: string, maxBytes = STATEMENT_BYTES): string {
  return `
select ${column} from (
  select ${column}, sum(bytes) over (order by ${column} rows between unbounded preceding and 1 preceding) as before
    from (${page}) page
) sized where coalesce(before, 0) < ${maxBytes} order by ${column}`;
}
