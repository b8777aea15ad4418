import { ContactSearch } from '../../src/contacts/contact-search.js';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import type { Database } from '../../src/platform/database/database.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase()));
afterAll(() => open?.close());

/** Adds contacts, of which the one with the oldest activity is `oldest`. */
async function addContacts(contacts: number, domain: string, oldest: string): Promise<string> {
  const id = uuidV7(Date.now());
  await open.database.query(`insert into organizations (id, name, plan) values ($1, 'Example', 'free')`, [id]);
  await open.database.query(
    `with made as (
       insert into contacts (organization_id, address_key, address, first_seen_at, last_activity_at)
       select $1, a, a, now(), now() + n * interval '1 second'
         from (select n, case n when 1 then $4 else 'reader' || n || '@' || $3 end as a from generate_series(1, $2::int) n) made
       returning id, address_key)
     insert into contact_search select id, $1, search_letters(address_key) from made`,
    [id, contacts, domain, oldest],
  );
  return id;
}

/** Counts the rows of the search table that each query reads. */
function counting(rows: number[]): Database {
  const readOf = (plan: Plan): number =>
    (plan['Relation Name'] === 'contact_search' ? plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) : 0) +
    (plan.Plans ?? []).reduce((sum, inner) => sum + readOf(inner), 0);
  const query = async <Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> => {
    if (!sql.startsWith('explain')) {
      const [row] = await open.database.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, format json) ${sql}`,
        values,
      );
      rows.push(readOf(row!['QUERY PLAN'][0].Plan));
    }
    return open.database.query<Row>(sql, values);
  };
  return Object.assign(Object.create(open.database) as Database, { query });
}

it('does not read the contacts of other organizations, to whom a text is common that is rare here', async () => {
  const own = await addContacts(3_000, 'firm.example', 'ada@everyone.example');
  await addContacts(10_000, 'everyone.example', 'bob@everyone.example');
  await open.database.query('analyze contact_search');
  const rows: number[] = [];
  const found = await new ContactSearch(counting(rows)).find(own, 'everyone', { limit: 100 });
  const [ada] = await open.database.query<{ id: string }>(
    `select id from contacts where organization_id = $1 and address_key = 'ada@everyone.example'`,
    [own],
  );
  expect(found).toEqual([ada!.id]);
  expect(Math.max(...rows)).toBeLessThan(100);
});

it('finds by the index the contacts of its organization alone', async () => {
  const [own] = [
    await addContacts(3_000, 'quiet.example', 'quux@rare.example'),
    await addContacts(3_000, 'loud.example', 'quux@rare.example'),
  ];
  await open.database.query('analyze contact_search');
  const rows: number[] = [];
  const found = await new ContactSearch(counting(rows)).find(own, 'quux', { limit: 2 });
  const quux = await open.database.query<{ id: string }>(
    `select id from contacts where organization_id = $1 and address_key = 'quux@rare.example'`,
    [own],
  );
  expect(found).toEqual(quux.map(({ id }) => id));
  expect(Math.max(...rows)).toBeLessThan(100);
});
