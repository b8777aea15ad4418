import fc from 'fast-check';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { ContactSearch } from '../../src/contacts/contact-search.js';
import { ContactTimelines } from '../../src/contacts/contact-timeline.js';
import { searchLetters } from '../../src/contacts/search-encoding.js';
import { Contacts } from '../../src/contacts/contacts.js';
import type { Database } from '../../src/platform/database/database.js';
import { AcceptedEmails } from '../../src/emails/accept/accepted-emails.js';
import type { LeftOutRecipients } from '../../src/emails/accept/left-out-recipients.js';
import { unverifiedSender } from '../../src/emails/accept/sender.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';
import { NO_LISTENERS } from '../support/no-listeners.js';
import { noOldEvents } from '../events/store/no-old-events.js';

const addresses = [
  'Ada.Lovelace@Example.com',
  'ada+news@example.com',
  'a_b%c@example.org',
  'a.b.c@x.io',
  "o'brien!#$&*/=?^`{|}~-@sub-domain.example.org",
  '100%@sale.example',
  'x@b.c',
  'zq@qz.example',
  'grace.hopper@navy.example',
  'grace_hopper@navy.example',
];
const organizationId = uuidV7(Date.now());
const otherOrganizationId = uuidV7(Date.now());

let openDatabase: OpenTestDatabase;
let database: Database;
let contacts: Contacts;

beforeAll(async () => {
  openDatabase = await openTestDatabase();
  ({ database } = openDatabase);
  contacts = new Contacts(database, new ContactSearch(database), new ContactTimelines(database, noOldEvents(database)));
  for (const id of [organizationId, otherOrganizationId])
    await database.query(`insert into organizations (id, name, plan) values ($1, 'Example', 'free')`, [id]);
  for (const [minute, address] of addresses.entries()) await send(organizationId, address, minute);
  await send(otherOrganizationId, addresses[0]!, 0);
});

afterAll(() => openDatabase.close());

/** No address is suppressed here. */
const noneLeftOut = undefined as unknown as LeftOutRecipients;

async function send(organization: string, address: string, minute: number): Promise<void> {
  const createdAt = new Date(Date.UTC(2026, 0, 1, 0, minute));
  await new AcceptedEmails(database, noneLeftOut, NO_LISTENERS).accept({
    id: uuidV7(createdAt.getTime()),
    trackingId: `${organization}${minute}`,
    organizationId: organization,
    campaignId: null,
    status: 'queued',
    sender: unverifiedSender('news@example.com', null),
    recipients: { to: [{ address }], cc: [], bcc: [] },
    subject: 'News',
    html: '<p>News</p>',
    ...{ text: null, headers: null, tags: null, attachments: [] },
    unsubscribe: false,
    metadata: null,
    urls: null,
    createdAt,
    baseUrl: 'http://track.test',
  });
}

async function search(part: string, limit = 1000): Promise<string[]> {
  const page = await contacts.list(organizationId, part, { limit });
  return page.items.map(({ email }) => email);
}

/** Most recent activity first. */
function expected(part: string): string[] {
  return addresses.filter((address) => address.toLowerCase().includes(part.toLowerCase())).reverse();
}

const partOfAnAddress = fc
  .tuple(fc.constantFrom(...addresses), fc.nat(60), fc.integer({ min: 1, max: 12 }))
  .map(([address, from, length]) => address.slice(from % address.length).slice(0, length));
const anySigns = fc.string({ minLength: 1, maxLength: 3 }).filter((text) => text !== '');

describe('searching contacts', () => {
  it('finds exactly the addresses that contain the part, regardless of its length and characters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(partOfAnAddress, anySigns), async (part) => {
        expect(await search(part)).toEqual(expected(part));
      }),
      { numRuns: 300 },
    );
  });

  it.each(['%', '_', '\\', 'A_B%', '^', '.', '(', 'ω', 'ή', 'α', '@'])('takes %s literally', async (part) => {
    expect(await search(part)).toEqual(expected(part));
  });

  it('pages through what it finds', async () => {
    const found: string[] = [];
    let after: readonly string[] | undefined;
    do {
      const page = await contacts.list(organizationId, 'example', { limit: 2, ...(after && { after }) });
      found.push(...page.items.map(({ email }) => email));
      after = page.next;
    } while (after);
    expect(found).toEqual(expected('example'));
  });

  it('spells signs as the database does', async () => {
    for (const address of addresses) {
      const [row] = await database.query<{ letters: string }>('select search_letters($1) as letters', [
        address.toLowerCase(),
      ]);
      expect(row!.letters).toMatch(new RegExp(`^${searchLetters(address)}ω( .)* $`));
    }
  });
});

describe('searching among more contacts than the first scan reads', () => {
  const many = uuidV7(Date.now());
  let rows: { address: string; activity: number; id: number }[];

  beforeAll(async () => {
    await database.query(`insert into organizations (id, name, plan) values ($1, 'Many', 'free')`, [many]);
    // Ten at a time were active at the same moment; the newest have no seven in their address.
    await database.query(
      `with made as (
         insert into contacts (organization_id, address_key, address, first_seen_at, last_activity_at)
         select $1, address, address, now(), timestamptz '2026-01-01Z' + n / 10 * interval '1 minute'
         from (select n, case when n > 3500 then translate(n::text, '7', '0') || '-' || n % 7 else 'person' || n end
                 || '@' || case when n % 40 = 0 then 'rare' else 'usual' end || '.example' as address
               from generate_series(1, 6000) n
               union all
               select case place when 'old' then 1 else 5990 end, place || sign || 's@' || place || '.example'
               from unnest(array['old', 'new']) place, unnest(array['%', '_', 'x', '%%', 'x%y_z']) sign
               union all
               select 2000 + n * 40, 'back' || sign || n || '@back.example'
               from generate_series(1, 100) n, unnest(array['%', '_', 'x']) sign) named
         on conflict do nothing returning id, address_key)
       insert into contact_search select id, $1, search_letters(address_key) from made`,
      [many],
    );
    rows = await database.query(
      `select address, extract(epoch from last_activity_at)::int as activity, id::int
         from contacts where organization_id = $1`,
      [many],
    );
    rows.sort((a, b) => b.activity - a.activity || b.id - a.id);
  });

  // Among the oldest, among the newest, and spread between them, so that scans and the index find them, each beside
  // one that a wildcard would find, too.
  const signs = [
    'old%s@',
    'old_s@',
    'oldxs@',
    'old%%',
    'x%y_z',
    'new%s@',
    'new_s@',
    'newxs@',
    'd%',
    'd_',
    '%',
    '_',
    'back%',
    'back_',
  ];
  // No address has a backslash, nor what one would stand for as an escape.
  const escapes = ['\\', 'old\\%s', 'old\\_s', '\\%', 'd\\_', 'old[%_]s', 'old.s@', 'ol(d)%'];

  it.each(['person', 'n7', '7@', '@rare', '.example', '1', 'person3499@', '77', 'x', 'nobody', ...signs, ...escapes])(
    'finds all with %s, page by page, in order',
    async (part) => {
      const addresses = rows.map(({ address }) => address).filter((address) => address.includes(part));
      expect(addresses.length > 0).toBe(![...escapes, 'nobody'].includes(part));
      for (const limit of [1000, 170]) {
        const found: string[] = [];
        let after: readonly string[] | undefined;
        do {
          const page = await contacts.list(many, part, { limit, ...(after && { after }) });
          found.push(...page.items.map(({ email }) => email));
          after = page.next;
        } while (after);
        expect(found).toEqual(addresses);
      }
    },
  );

  it('finds the contacts of its organization alone, however far it goes back', async () => {
    // More recent than those of any other test: a scan over all organizations would find these two first.
    const [own, neighbour] = [uuidV7(Date.now()), uuidV7(Date.now())];
    for (const [id, every] of [
      [own, 10],
      [neighbour, 1],
    ] as const) {
      await database.query(`insert into organizations (id, name, plan) values ($1, 'Example', 'free')`, [id]);
      await database.query(
        `with made as (
           insert into contacts (organization_id, address_key, address, first_seen_at, last_activity_at)
           select $1, a, a, now(), now() + interval '1 day' + n * interval '1 second'
           from (select n, 'c' || n || case when n % $2::int = 0 then '@mark.example' else '@other.example' end as a
                   from generate_series(1, 3000) n) named
           returning id, address_key)
         insert into contact_search select id, $1, search_letters(address_key) from made`,
        [id, every],
      );
    }
    const found: string[] = [];
    let after: readonly string[] | undefined;
    do {
      const page = await contacts.list(own, 'mark', { limit: 250, ...(after && { after }) });
      found.push(...page.items.map(({ email }) => email));
      after = page.next;
    } while (after && found.length <= 300);
    const expected = Array.from({ length: 300 }, (_, at) => `c${(300 - at) * 10}@mark.example`);
    expect(found).toEqual(expected);
  });
});
