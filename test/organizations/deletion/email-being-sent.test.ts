import { jest } from '@jest/globals';
import { Registry } from 'prom-client';
import { flushBatch } from '../../../src/events/ingest/flush-batch.js';
import { sentEventId } from '../../../src/events/sent-event.js';
import { OrganizationDeletion } from '../../../src/organizations/deletion/organization-deletion.js';
import type { Database } from '../../../src/platform/database/database.js';
import { sendMail } from '../../roles/flusher/sent-mail.js';
import { CapturedLog } from '../../support/captured-log.js';
import { advanceClockByReadings } from '../../support/monotonic-clock.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let open: OpenTestDatabase;
let database: Database;
let deletion: OrganizationDeletion;

beforeEach(async () => {
  open = await openTestDatabase(2);
  ({ database } = open);
  deletion = new OrganizationDeletion(database, new CapturedLog('warn', ['worker']).logger, new Registry());
  advanceClockByReadings();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await open?.close();
});

const run = (): Promise<void> => deletion.run(new AbortController().signal);
const rowsOf = async (table: string): Promise<number> => (await database.query(`select from ${table}`)).length;

it('an email that a worker is sending leaves no event behind', async () => {
  const { emails } = await sendMail(database, [1]);
  const { id, trackingId } = emails[0]!;
  await database.query(
    `insert into pending_emails (email_id, organization_id, due_at, lease_token, lease_until)
     select id, organization_id, now(), gen_random_uuid(), now() + interval '1 day' from emails`,
  );
  await database.query(`update organizations set deleted_at = now() - interval '1 minute'`);
  await run();
  expect(await rowsOf('emails')).toBe(1);
  await database.query('delete from pending_emails');
  const sent = { type: 'sent' as const, id: sentEventId(id, new Date()), emailTrackingId: trackingId };
  await flushBatch(database, [{ event: sent, streamEntryId: '1-1' }]);
  expect(await rowsOf('events')).toBe(1);
  await run();
  expect([await rowsOf('organizations'), await rowsOf('contacts'), await rowsOf('events')]).toEqual([0, 0, 0]);
});
