import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../src/platform/database/database.js';
import { insertBacklog, insertOrganization } from '../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let opened: OpenTestDatabase;
let database: Database;
let organizationId: string;

beforeAll(async () => {
  opened = await openTestDatabase(1);
  ({ database } = opened);
  organizationId = await insertOrganization(database);
});
afterAll(() => opened?.close());

/** The statements for mail that was under way, in the order of the page. */
async function documentedStatements(): Promise<string[]> {
  const page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'operations.md'), 'utf8');
  const [, section] = /^## Back up and restore$([^]*?)^## /m.exec(page)!;
  return [...section!.matchAll(/psql "\$DATABASE_URL" -c (["'])([^]*?)\1/g)].map(([, , statement]) => statement!);
}

/** Emails that are due, or were or will be due at `sendAt`. */
async function insertEmails(rows: readonly { sendAt?: string; broadcastId?: string }[]): Promise<string[]> {
  await insertBacklog(database, organizationId, rows.length);
  const emails = await database.query<{ id: string }>('select id from emails order by id');
  for (const [index, { sendAt = 'null', broadcastId = null }] of rows.entries()) {
    const { id } = emails[index]!;
    await database.query(`update emails set send_at = ${sendAt} where id = $1`, [id]);
    await database.query(
      `update pending_emails set broadcast_id = $2, due_at = coalesce(${sendAt}, due_at) where email_id = $1`,
      [id, broadcastId],
    );
  }
  return emails.map(({ id }) => id);
}

async function insertBroadcast(status: string, sendAt = 'null'): Promise<string> {
  const id = randomUUID();
  await database.query(`insert into messages (id, organization_id, subject, html) values ($1, $2, 'S', 'x')`, [
    id,
    organizationId,
  ]);
  await database.query(
    `insert into broadcasts (id, organization_id, message_id, name, sender, status, send_at, recipients, emails, step_at)
     values ($1, $2, $1, $3, 'ada@acme.example', $4, ${sendAt}, 1000, 100, now())`,
    [id, organizationId, `${status} ${sendAt}`, status],
  );
  return id;
}

it('a restore without duplicates stops what was under way, and keeps what is still to be sent', async () => {
  const broadcasts = {
    sending: await insertBroadcast('sending'),
    due: await insertBroadcast('scheduled', `now() - interval '1 minute'`),
    later: await insertBroadcast('scheduled', `now() + interval '1 day'`),
    paused: await insertBroadcast('paused'),
    draft: await insertBroadcast('draft'),
  };
  const [due, scheduledBefore, ofBroadcast, scheduledLater, ofPaused] = await insertEmails([
    {},
    { sendAt: `now() - interval '1 minute'` },
    { broadcastId: broadcasts.sending },
    { sendAt: `now() + interval '1 day'` },
    { broadcastId: broadcasts.paused },
  ]);
  const results: unknown[] = [];
  for (const statement of await documentedStatements()) results.push(await database.query(statement));
  expect(results[0]).toEqual([{ emails: '3', recipients: '1800' }]);

  const rows = await database.query<{ id: string; status: string; pending: boolean }>(
    `select id, status, exists (select from pending_emails where email_id = id) as pending from emails`,
  );
  const waiting = rows.filter(({ pending }) => pending).map(({ id }) => id);
  expect(waiting.sort()).toEqual([scheduledLater, ofPaused].sort());
  const failed = rows.filter(({ status }) => status === 'failed').map(({ id }) => id);
  expect(failed.sort()).toEqual([due, scheduledBefore, ofBroadcast].sort());
  const found = await database.query<{ id: string; status: string }>('select id, status from broadcasts');
  const statuses = Object.fromEntries(
    Object.entries(broadcasts).map(([name, id]) => [name, found.find((row) => row.id === id)!.status]),
  );
  expect(statuses).toEqual({
    sending: 'paused',
    due: 'paused',
    later: 'scheduled',
    paused: 'paused',
    draft: 'draft',
  });
});
