import { ErasureSteps } from '../../../src/contacts/erasure/erasure-steps.js';
import type { Database } from '../../../src/platform/database/database.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { insertOrganization } from '../../support/backlog.js';
import { CapturedLog } from '../../support/captured-log.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

const MEGABYTE = 1024 * 1024;
/** A statement that changes more is slow. */
const AT_ONCE = 72 * MEGABYTE;
/** Together, they are larger than that. */
const ROWS = 24;
const ROW_BYTES = 4 * MEGABYTE;
const jane = 'jane@example.com';

let opened: OpenTestDatabase;
let database: Database;
let organizationId: string;

beforeAll(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
  // Repeated letters would be stored compressed.
  for (const column of [
    'email_contents alter html',
    'webhook_deliveries alter body',
    'idempotency_keys alter response',
  ])
    await database.query(`alter table ${column} set storage external`);
  await database.query('create table changes (bytes bigint)');
});
beforeEach(async () => {
  organizationId = await insertOrganization(database);
  await database.query('truncate changes');
});
afterAll(() => opened?.close());

/** Records how many bytes of a column each statement changes. */
async function watch(table: string, column: string, change: 'update' | 'delete'): Promise<void> {
  await database.query(
    `create function note_${table}() returns trigger language plpgsql as $$ begin
       insert into changes select coalesce(sum(octet_length(${column})), 0) from gone; return null; end $$;
     create trigger noted after ${change} on ${table} referencing old table as gone
       for each statement execute function note_${table}()`,
  );
}

async function forget(table: string): Promise<void> {
  await database.query(`drop function note_${table} cascade`);
}

/** @returns the bytes of the largest statement, and of all */
async function erase(ids: readonly string[]): Promise<{ largest: number; all: number }> {
  const log = new CapturedLog('warn', ['worker']);
  const steps = new ErasureSteps(database, { count: () => undefined } as never, log.logger);
  const id = uuidV7(Date.now());
  await database.query('insert into contact_erasures (id, organization_id, address_key) values ($1, $2, $3)', [
    ...[id, organizationId, jane],
  ]);
  await database.query(
    'insert into contact_erasure_emails (erasure_id, email_id, turn) select $1, email_id, 1 from unnest($2::uuid[]) as email_id',
    [id, ids],
  );
  while ((await steps.next()) === 0);
  expect(log.text).toBe('');
  expect(await database.query('select from contact_erasures')).toEqual([]);
  const [row] = await database.query<{ largest: number; all: number }>(
    'select max(bytes)::float8 as largest, sum(bytes)::float8 as "all" from changes',
  );
  return row!;
}

async function insertEmails(to: readonly string[], html: string): Promise<string[]> {
  const ids = Array.from({ length: ROWS }, () => uuidV7(Date.now()));
  await database.query(
    `insert into emails (id, tracking_id, organization_id, contact_ids, status)
     select id, id::text, $1, '{}', 'sent' from unnest($2::uuid[]) as id`,
    [organizationId, ids],
  );
  await database.query(
    `insert into email_contents (email_id, sender, to_addresses, subject, html)
     select id, 'a@acme.example', $2::text[], 'S', ${html} from unnest($1::uuid[]) as id`,
    [ids, to],
  );
  return ids;
}

it.each([
  ['alone', [jane]],
  ['with others', [jane, 'bob@example.com']],
])('erases a person from large emails to them %s in statements of limited length', async (_, to) => {
  const ids = await insertEmails(to, `repeat('x', ${ROW_BYTES})`);
  await watch('email_contents', 'html', 'update');
  const { largest, all } = await erase(ids);
  await forget('email_contents');
  expect(all).toBe(ROWS * ROW_BYTES);
  expect(largest).toBeLessThanOrEqual(AT_ONCE);
});

it('deletes large attachments of an erased person in statements of limited length', async () => {
  const ids = await insertEmails([jane], `'x'`);
  await database.query(
    `insert into attachment_contents (organization_id, sha256, bytes, used_at)
     select $1, sha256(id::text::bytea), convert_to(repeat('x', ${ROW_BYTES}), 'UTF8'), now() - interval '2 hours'
       from unnest($2::uuid[]) as id`,
    [organizationId, ids],
  );
  await database.query(
    `insert into email_attachments (email_id, position, organization_id, sha256, size, filename, content_type)
     select id, 0, $1, sha256(id::text::bytea), ${ROW_BYTES}, 'invoice.pdf', 'application/pdf' from unnest($2::uuid[]) as id`,
    [organizationId, ids],
  );
  await watch('attachment_contents', 'bytes', 'delete');
  const { largest, all } = await erase(ids);
  await forget('attachment_contents');
  expect(all).toBe(ROWS * ROW_BYTES);
  expect(largest).toBeLessThanOrEqual(AT_ONCE);
});

it('reads the webhooks of shared emails in portions that fit into memory', async () => {
  const ids = await insertEmails([jane, 'bob@example.com'], `'x'`);
  const [endpoint] = await database.query<{ id: string }>(
    `insert into webhook_endpoints (id, organization_id, url, events)
     values (gen_random_uuid(), $1, 'https://acme.example/', '{EMAIL_DELIVERED}') returning id`,
    [organizationId],
  );
  await database.query(
    `insert into webhook_deliveries (id, endpoint_id, type, email_id, status, body)
     select gen_random_uuid(), $1, 'EMAIL_DELIVERED', id, 'delivered',
            '{"data":{"recipient":"${jane}","x":"' || repeat('x', ${ROW_BYTES}) || '"}}' from unnest($2::uuid[]) as id`,
    [endpoint!.id, ids],
  );
  await watch('webhook_deliveries', 'body', 'delete');
  const { largest, all } = await erase(ids);
  await forget('webhook_deliveries');
  expect(all).toBeGreaterThan(ROWS * ROW_BYTES);
  expect(largest).toBeLessThanOrEqual(AT_ONCE);
});

it('erases a person from long responses of batches in statements of limited length', async () => {
  await database.query(
    `insert into idempotency_keys (organization_id, key, request_hash, email_id, running_until, response)
     select $1, 'key ' || n, '', gen_random_uuid(), now(),
            ('{"emails":[{"error":"${jane}"},"' || repeat('x', ${ROW_BYTES}) || '"]}')::json
       from generate_series(1, ${ROWS}) n`,
    [organizationId],
  );
  await watch('idempotency_keys', 'response::text', 'update');
  const { largest, all } = await erase([]);
  await forget('idempotency_keys');
  expect(all).toBeGreaterThan(ROWS * ROW_BYTES);
  expect(largest).toBeLessThanOrEqual(AT_ONCE);
});
