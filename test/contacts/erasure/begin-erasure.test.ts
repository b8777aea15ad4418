import { beginErasure } from '../../../src/contacts/erasure/begin-erasure.js';
import { personOf } from '../../../src/contacts/erasure/person.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

const EMAILS = 10_200;

let open: OpenTestDatabase;

beforeAll(async () => void (open = await openTestDatabase(2)));
afterAll(() => open?.close());

it('lists every email of a person who has more of them than one page, unfinished ones first', async () => {
  const { database } = open;
  const ids = Array.from({ length: EMAILS }, () => uuidV7(Date.now()));
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
  const person = personOf(organizationId, 'ada@example.com');
  const erasure = await database.transaction((sql) => beginErasure(sql, person));
  const turns = await database.query<{ turn: number; emails: number }>(
    `select turn, count(*)::integer as emails from contact_erasure_emails where erasure_id = $1 group by turn order by turn`,
    [erasure],
  );
  expect(turns.map(({ turn }) => turn)).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
  expect(turns.reduce((sum, { emails }) => sum + emails, 0)).toBe(EMAILS);
  expect(Math.max(...turns.map(({ emails }) => emails))).toBe(500);
});
