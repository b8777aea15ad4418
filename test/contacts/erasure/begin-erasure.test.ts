import { beginErasure } from '../../../src/contacts/erasure/begin-erasure.js';
import { EMAILS_PER_TURN } from '../../../src/contacts/erasure/lock-batch.js';
import { personOf } from '../../../src/contacts/erasure/person.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

const EMAILS = 10_200;
/** Emails in which the person is one of several recipients, and of which their contact knows nothing. */
const COPIES = 20;
/** Every so many emails, one is unfinished: also some of the second page. */
const UNFINISHED_EVERY = 34;

let open: OpenTestDatabase;

beforeAll(async () => void (open = await openTestDatabase(2)));
afterAll(() => open?.close());

it('lists every email of a person who has more of them than one page, unfinished ones first', async () => {
  const { database } = open;
  const ids = Array.from({ length: EMAILS }, () => uuidV7(Date.now()));
  const copies = Array.from({ length: COPIES }, () => uuidV7(Date.now()));
  const organizationId = uuidV7(Date.now());
  await database.query(`insert into organizations (id, name, plan) values ($1, 'Example', 'free')`, [organizationId]);
  // Only what the list reads: emails to nobody else need no content.
  await database.transaction(async (sql) => {
    await sql.query(`set local session_replication_role = replica`);
    await sql.query(
      `insert into contacts (organization_id, address, address_key, first_seen_at, last_activity_at)
       values ($1, 'ada@example.com', 'ada@example.com', now(), now())`,
      [organizationId],
    );
    await sql.query(
      `insert into contact_emails (contact_id, email_id) select c.id, e from contacts c, unnest($1::uuid[]) as e`,
      [ids],
    );
  });
  await insertCopies(organizationId, copies);
  const unfinished = [...ids, ...copies].filter((_id, n) => n % UNFINISHED_EVERY === 0).sort();
  await insertUnfinished(organizationId, unfinished);
  const person = personOf(organizationId, 'ada@example.com');
  const erasure = await database.transaction((sql) => beginErasure(sql, person));
  const listed = await database.query<{ id: string; turn: number }>(
    'select email_id as id, turn from contact_erasure_emails where erasure_id = $1 order by turn, email_id',
    [erasure],
  );
  expect(listed.filter(({ turn }) => turn === 0).map(({ id }) => id)).toEqual(unfinished);
  expect(listed.map(({ id }) => id).sort()).toEqual([...ids, ...copies].sort());
  const finished = EMAILS + COPIES - unfinished.length;
  const turns = Array.from({ length: finished }, (_, n) => 1 + Math.floor(n / EMAILS_PER_TURN));
  expect(listed.slice(unfinished.length).map(({ turn }) => turn)).toEqual(turns);
});

async function insertCopies(organizationId: string, ids: readonly string[]): Promise<void> {
  await open.database.query(
    `with made as (
       insert into emails (id, tracking_id, organization_id, contact_ids, status, created_at)
       select id, 'c-' || id, $1, '{}', 'sent', now() from unnest($2::uuid[]) as id returning id
     )
     insert into email_contents (email_id, sender, to_addresses, cc_addresses, subject, html)
     select id, 'news@acme.example', array['bob@example.com'], array['Ada <ada@example.com>'], 'S', '' from made`,
    [organizationId, ids],
  );
}

async function insertUnfinished(organizationId: string, ids: readonly string[]): Promise<void> {
  await open.database.transaction(async (sql) => {
    await sql.query(`set local session_replication_role = replica`);
    await sql.query('insert into pending_emails (email_id, organization_id) select unnest($2::uuid[]), $1', [
      organizationId,
      ids,
    ]);
  });
}
