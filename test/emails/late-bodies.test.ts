import { ContentRetention } from '../../src/emails/content-retention.js';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import type { Database } from '../../src/platform/database/database.js';
import { insertOrganization } from '../support/backlog.js';
import { silentPace } from '../support/silent-pace.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

const DAY_MS = 86_400_000;
/** More than one step of a run handles. */
const MANY = 1_001;

let opened: OpenTestDatabase;
let database: Database;

beforeAll(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
});
afterAll(() => opened?.close());

/** Inserts emails that were not final when the walk passed them. @returns their IDs */
async function insertLate(organizationId: string, status: 'queued' | 'sent'): Promise<string[]> {
  const ids = Array.from({ length: MANY }, () => uuidV7(Date.now() - 2 * DAY_MS)).sort();
  await database.query(
    `insert into emails (id, tracking_id, organization_id, contact_ids, status)
     select id, id::text, $1, '{}', $3 from unnest($2::uuid[]) as id`,
    [organizationId, ids, status],
  );
  await database.query(
    `insert into email_contents (email_id, sender, to_addresses, subject, html)
     select id, 'a@acme.example', '{ada@example.com}', 'S', '<p>x</p>' from unnest($1::uuid[]) as id`,
    [ids],
  );
  await database.query('insert into late_bodies select unnest($1::uuid[])', [ids]);
  await database.query('update body_retention set after_id = $1', [ids.at(-1)]);
  return ids;
}

async function bodiesOf(ids: readonly string[]): Promise<number> {
  const [row] = await database.query<{ bodies: number }>(
    `select count(*)::integer as bodies from email_contents where email_id = any($1::uuid[]) and html <> ''`,
    [ids],
  );
  return row!.bodies;
}

it('deletes the bodies of all late emails that have ended in one run, however many others still wait', async () => {
  const organizationId = await insertOrganization(database);
  const waiting = await insertLate(organizationId, 'queued');
  await database.query('insert into pending_emails (email_id, organization_id) select unnest($2::uuid[]), $1', [
    organizationId,
    waiting,
  ]);
  const ended = await insertLate(organizationId, 'sent');
  const settings = { EMAIL_CONTENT_RETENTION_DAYS: 1 };
  const retention = new ContentRetention(database, settings, silentPace());
  await retention.dropOldBodies(new AbortController().signal);
  expect([await bodiesOf(waiting), await bodiesOf(ended)]).toEqual([MANY, 0]);
});
