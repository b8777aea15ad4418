import { jest } from '@jest/globals';
import { Registry } from 'prom-client';
import { storeDeadLetters } from '../../../src/events/dead-letters/dead-letters.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { OrganizationDeletion } from '../../../src/organizations/deletion/organization-deletion.js';
import type { Database } from '../../../src/platform/database/database.js';
import { reportOf } from '../../emails/recipients/reported-mail.js';
import { insertBacklog, insertOrganization } from '../../support/backlog.js';
import { CapturedLog } from '../../support/captured-log.js';
import { advanceClockByReadings } from '../../support/monotonic-clock.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let open: OpenTestDatabase;
let database: Database;
let log: CapturedLog;
let deletion: OrganizationDeletion;

beforeEach(async () => {
  open = await openTestDatabase(2);
  ({ database } = open);
  log = new CapturedLog('warn', ['worker']);
  deletion = worker();
  advanceClockByReadings();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await open?.close();
});

const worker = (): OrganizationDeletion => new OrganizationDeletion(database, log.logger, new Registry());

async function deletedOrganization(age: string): Promise<string> {
  const id = await insertOrganization(database);
  await insertBacklog(database, id, 1);
  await database.query('update organizations set deleted_at = now() - $2::interval where id = $1', [id, age]);
  return id;
}

/** Lets transactions fail at their end that have deleted such a row. */
async function failAfterDelete(table: string, when: string, code: string): Promise<void> {
  await database.query(
    `create function fail() returns trigger language plpgsql as $$
     begin raise 'planted' using errcode = '${code}'; end $$`,
  );
  await database.query(
    `create constraint trigger fail after delete on ${table} initially deferred for each row when (${when})
       execute function fail()`,
  );
}

const run = (by = deletion): Promise<void> => by.run(new AbortController().signal);
const left = async (): Promise<string[]> =>
  (await database.query<{ id: string }>('select id from organizations')).map(({ id }) => id);

it('an organization whose deletion fails again and again delays no other, and ends once it no longer fails', async () => {
  const failing = await deletedOrganization('1 hour');
  await deletedOrganization('1 minute');
  await failAfterDelete('emails', `old.organization_id = '${failing}'`, '57014');
  await run();
  await run();
  expect(await left()).toEqual([failing]);
  // A failing batch may take as long as a run, so the next run must not begin with it.
  expect(log.text.match(/Could not continue the deletion/g)).toHaveLength(1);
  await database.query('drop trigger fail on emails');
  await run(worker());
  expect(await left()).toEqual([]);
});

it('a page of dead letters whose transaction is interrupted is read again', async () => {
  const id = await deletedOrganization('1 minute');
  const [email] = await database.query<{ id: string }>('select id from emails');
  const payload = packEntry([encodeEvent(reportOf(email!.id, 'ada@example.com', 'bounced', { bounce: 'hard' }))]);
  await storeDeadLetters(database, [{ streamEntryId: '1-1', payload, reason: 'malformed' }]);
  await failAfterDelete('event_dead_letters', 'true', '57P01');
  await expect(run()).rejects.toMatchObject({ code: '57P01' });
  expect(await left()).toEqual([id]);
  await database.query('drop trigger fail on event_dead_letters');
  await run();
  expect(await left()).toEqual([]);
  expect(await database.query('select from event_dead_letters')).toEqual([]);
});

/** Lets statements fail that delete as many rows as take too long. */
async function limitDeletions(table: string, rows: number): Promise<void> {
  await database.query(
    `create function take_too_long() returns trigger language plpgsql as $$
     begin if (select count(*) from gone) > ${rows} then raise 'planted' using errcode = '57014'; end if; return null; end $$`,
  );
  await database.query(
    `create trigger slow after delete on ${table} referencing old table as gone for each statement
       execute function take_too_long()`,
  );
}

it('an email whose hits were summed any number of times is deleted in statements that each take a short time', async () => {
  await deletedOrganization('1 minute');
  await database.query(
    `insert into event_sums (id, email_id, opens, clicks)
     select gen_random_uuid(), emails.id, 1, 0 from emails cross join generate_series(1, 12000)`,
  );
  await limitDeletions('event_sums', 10_000);
  await run();
  expect(await left()).toEqual([]);
  expect(await database.query('select from event_sums')).toEqual([]);
  expect(log.text).toBe('');
});

it('a template with any number of versions is deleted in statements that each take a short time', async () => {
  const id = await deletedOrganization('1 minute');
  await database.query(
    `with template as (insert into templates (id, organization_id, name) values (gen_random_uuid(), $1, 'T') returning id)
     insert into template_versions (id, template_id, version, subject, html_content, variables)
     select gen_random_uuid(), id, n, 'S', '', '{}' from template, generate_series(1, 150) n`,
    [id],
  );
  await limitDeletions('template_versions', 100);
  await run();
  expect(await left()).toEqual([]);
  expect(log.text).toBe('');
});
