import type { Sql } from '../../../src/platform/database/database.js';

/** Parts of the schema that TypeORM cannot declare; the test checks each separately. */
const inexpressible = [
  'contacts_last_activity', // includes a column
  'contact_search_letters', // has an operator class
  'email_contents_recipients', // has an expression
];

/** Every column, constraint and index of the tables, as the server itself spells them out. */
export async function readCatalog(sql: Sql, tables: readonly string[]): Promise<string[]> {
  const rows = await sql.query<{ owner: string; name: string; definition: string }>(
    `select c.relname as owner, a.attname as name, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then 'not null' end, 'default ' || pg_get_expr(d.adbin, d.adrelid),
        nullif('identity ' || a.attidentity::text, 'identity ')) as definition
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relname = any($1) and c.relnamespace = current_schema()::regnamespace
     union all
     select conrelid::regclass::text, case contype when 'p' then 'primary key' else conname end, pg_get_constraintdef(oid)
       from pg_constraint
      where conrelid::regclass::text = any($1) and contype <> 'n' and not conname = any($2)
     union all
     select indrelid::regclass::text, indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index
      where indrelid::regclass::text = any($1) and not indisprimary and not indexrelid::regclass::text = any($2)`,
    [tables, inexpressible],
  );
  return rows.map(({ owner, name, definition }) => `${owner} ${name}: ${alike(definition)}`).sort();
}

/** Normalizes equivalent spellings, and parts that TypeORM cannot declare. */
function alike(definition: string): string {
  return definition
    .replace(' ON ONLY ', ' ON ') // the index of a partitioned table has those of its partitions beside it
    .replace(/default '(\d+)'::bigint/, 'default $1')
    .replace(/^CHECK .*ARRAY\[(.*)\]/, (check, values: string) =>
      check.replace(values, values.split(', ').sort().join(', ')),
    )
    .replace(/^(PRIMARY KEY .*) INCLUDE \(.*\)$/, '$1');
}
