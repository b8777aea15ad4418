import { AttachmentContents } from '../../src/emails/attachments/attachment-contents.js';
import { ContentRetention } from '../../src/emails/content-retention.js';
import type { Database } from '../../src/platform/database/database.js';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { insertOrganization } from '../support/backlog.js';
import { testBudgets } from '../support/budgets.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';
import { silentPace } from '../support/silent-pace.js';

const MEGABYTE = 1024 * 1024;
/** A statement that deletes more is slow. */
const AT_ONCE = 72 * MEGABYTE;
/** Together, they are larger than that. */
const ROWS = 24;
const ROW_BYTES = 4 * MEGABYTE;
const DAY_MS = 86_400_000;

let opened: OpenTestDatabase;
let database: Database;
let organizationId: string;

beforeAll(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
  organizationId = await insertOrganization(database);
  // Repeated letters would be stored compressed.
  await database.query('alter table email_contents alter html set storage external');
  await database.query('create table deletions (bytes bigint)');
});
afterAll(() => opened?.close());

/** Records how many bytes of a column each statement deletes. */
async function watch(table: string, column: string, change: 'update' | 'delete'): Promise<void> {
  await database.query('truncate deletions');
  await database.query(
    `create function note_${table}() returns trigger language plpgsql as $$ begin
       insert into deletions select coalesce(sum(octet_length(${column})), 0) from gone; return null; end $$;
     create trigger noted after ${change} on ${table} referencing old table as gone
       for each statement execute function note_${table}()`,
  );
}

async function deletions(): Promise<{ largest: number; all: number }> {
  const [row] = await database.query<{ largest: number; all: number }>(
    'select max(bytes)::float8 as largest, sum(bytes)::float8 as "all" from deletions',
  );
  return row!;
}

async function insertBodies(ids: readonly string[]): Promise<void> {
  await database.query(
    `insert into emails (id, tracking_id, organization_id, contact_ids, status)
     select id, id::text, $1, '{}', 'sent' from unnest($2::uuid[]) as id`,
    [organizationId, ids],
  );
  await database.query(
    `insert into email_contents (email_id, sender, to_addresses, subject, html)
     select id, 'a@acme.example', '{ada@example.com}', 'S', repeat('x', ${ROW_BYTES}) from unnest($1::uuid[]) as id`,
    [ids],
  );
}

it('deletes large bodies in statements that take no longer than those of small ones', async () => {
  const ids = Array.from({ length: 2 * ROWS }, () => uuidV7(Date.now() - 2 * DAY_MS)).sort();
  await insertBodies(ids);
  // Half of them were not final when the walk passed them.
  const late = ids.slice(0, ROWS);
  await database.query('update body_retention set after_id = $1', [late.at(-1)]);
  await database.query('insert into late_bodies select unnest($1::uuid[])', [late]);
  await watch('email_contents', 'html', 'update');
  const retention = new ContentRetention(database, { EMAIL_CONTENT_RETENTION_DAYS: 1 }, silentPace());
  await retention.dropOldBodies(new AbortController().signal);
  const { largest, all } = await deletions();
  expect(all).toBe(2 * ROWS * ROW_BYTES);
  expect(largest).toBeLessThanOrEqual(AT_ONCE);
});

it('deletes large attachments in statements that take no longer than those of small ones', async () => {
  await database.query(
    `insert into attachment_contents (organization_id, sha256, bytes, used_at)
     select $1, sha256(n::text::bytea), convert_to(repeat('x', ${ROW_BYTES}), 'UTF8'), now() - interval '2 hours'
       from generate_series(1, ${ROWS}) n`,
    [organizationId],
  );
  await watch('attachment_contents', 'bytes', 'delete');
  await new AttachmentContents(database, testBudgets(database).budgets).deleteUnused();
  const { largest, all } = await deletions();
  expect(all).toBe(ROWS * ROW_BYTES);
  expect(largest).toBeLessThanOrEqual(AT_ONCE);
});
