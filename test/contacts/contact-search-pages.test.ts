import { jest } from '@jest/globals';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { ContactSearch } from '../../src/contacts/contact-search.js';
import { ContactTimelines } from '../../src/contacts/contact-timeline.js';
import { Contacts } from '../../src/contacts/contacts.js';
import type { Database } from '../../src/platform/database/database.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';
import { noOldEvents } from '../events/store/no-old-events.js';

let openDatabase: OpenTestDatabase;
let database: Database;
let contacts: Contacts;

beforeAll(async () => {
  openDatabase = await openTestDatabase();
  ({ database } = openDatabase);
  contacts = new Contacts(database, new ContactSearch(database), new ContactTimelines(database, noOldEvents(database)));
});
afterAll(() => openDatabase.close());

it('continues after a page that the scan has just filled', async () => {
  const organization = uuidV7(Date.now());
  await database.query(`insert into organizations (id, name, plan) values ($1, 'Exact', 'free')`, [organization]);
  // 25 among the 2,000 most recent, 30 among the 3,720 that are looked through for a page of 30, and 40 in all.
  await database.query(
    `with made as (
       insert into contacts (organization_id, address_key, address, first_seen_at, last_activity_at)
       select $1, address, address, now(), timestamptz '2026-01-01Z' + n * interval '1 minute'
         from (select n, 'n' || n || case when n > 4000 and n % 80 = 0 or n between 2300 and 4000 and n % 400 = 0
                 or n <= 2000 and n % 200 = 0 then '@mark.example' else '@other.example' end as address
                 from generate_series(1, 6000) n) named
       returning id, address_key)
     insert into contact_search select id, $1, search_letters(address_key) from made`,
    [organization],
  );
  const first = await contacts.list(organization, 'mark', { limit: 30 });
  expect([first.items.length, first.next]).toEqual([30, expect.any(Array)]);
  const rest = await contacts.list(organization, 'mark', { limit: 30, after: first.next! });
  expect([rest.items.length, rest.next]).toEqual([10, undefined]);
});

it('continues after a page of which contacts begin to be erased while it is read', async () => {
  const organization = uuidV7(Date.now());
  await database.query(`insert into organizations (id, name, plan) values ($1, 'Erasing', 'free')`, [organization]);
  await database.query(
    `with made as (
       insert into contacts (organization_id, address_key, address, first_seen_at, last_activity_at)
       select $1, address, address, now(), timestamptz '2026-01-01Z' + n * interval '1 minute'
         from (select n, n || '@reader.example' as address from generate_series(1, 6) n) named
       returning id, address_key)
     insert into contact_search select id, $1, search_letters(address_key) from made`,
    [organization],
  );
  const addresses = async (erased: readonly string[], after?: readonly string[]) => {
    const search = new ContactSearch(database);
    const find = search.find.bind(search);
    search.find = async (...query) => {
      const ids = await find(...query);
      await database.query(
        `update contacts set organization_id = null, address_key = '', address = ''
          where organization_id = $1 and address_key = any($2)`,
        [organization, erased],
      );
      return ids;
    };
    const list = new Contacts(database, search, new ContactTimelines(database, noOldEvents(database)));
    const { items, next } = await list.list(organization, 'reader', { limit: 2, ...(after && { after }) });
    return { found: items.map(({ email }) => email[0]), next };
  };
  const first = await addresses(['5@reader.example']);
  expect(first).toEqual({ found: ['6', '4'], next: expect.any(Array) });
  const second = await addresses(['3@reader.example', '2@reader.example', '1@reader.example'], first.next);
  expect(second).toEqual({ found: [], next: undefined });
});

describe('a part that is neither rare nor common', () => {
  const organization = uuidV7(Date.now());

  beforeAll(async () => {
    // It would count the rows again.
    await database.query('alter table contact_search set (autovacuum_enabled = off)');
    await database.query(`insert into organizations (id, name, plan) values ($1, 'Hundredth', 'free')`, [organization]);
    await database.query(
      `with made as (
         insert into contacts (organization_id, address_key, address, first_seen_at, last_activity_at)
         select $1, address, address, now(), timestamptz '2026-01-01Z' + n * interval '1 minute'
           from (select n, 'n' || n || case when n % 50 = 0 then '@fifty.example' else '@other.example' end as address
                   from generate_series(1, 5000) n) named
         returning id, address_key)
       insert into contact_search select id, $1, search_letters(address_key) from made`,
      [organization],
    );
  });

  it.each([
    ['the index, which has few matches in a small table', 5_000, /from contact_search where/],
    ['a longer scan, because the index has many matches in a large table', 10_000_000, /limit \$6\s+\) recent where/],
  ])('is found by %s', async (_way, contactsOfAll, expected) => {
    await database.query(`update pg_class set reltuples = $1 where oid = 'contact_search'::regclass`, [contactsOfAll]);
    const queries = jest.spyOn(database, 'query');
    const { items } = await contacts.list(organization, '@fifty', { limit: 60 });
    const statements = queries.mock.calls.map(([sql]) => sql).filter((sql) => !sql.startsWith('explain'));
    queries.mockRestore();
    expect(items.map(({ email }) => email)).toEqual(
      Array.from({ length: 60 }, (_, index) => `n${5000 - 50 * index}@fifty.example`),
    );
    // After the scan of the most recent contacts, and before the read of the page.
    expect(statements).toHaveLength(3);
    expect(statements[1]).toMatch(expected);
  });
});
