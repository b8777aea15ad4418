import { randomUUID } from 'node:crypto';
import { BroadcastStep } from '../../src/broadcasts/sending/broadcast-step.js';
import { BroadcastSteps } from '../../src/broadcasts/sending/broadcast-steps.js';
import { ContactErasures } from '../../src/contacts/erasure/contact-erasures.js';
import { ErasureSteps } from '../../src/contacts/erasure/erasure-steps.js';
import { operatorOf } from '../../src/organizations/audit/record-audit.js';
import { cancelOrganizationMail } from '../../src/organizations/deletion/cancel-organization-mail.js';
import type { Database } from '../../src/platform/database/database.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { listStatement, type ListFilter } from '../../src/emails/read/list-statement.js';
import { eventually } from '../support/eventually.js';
import { insertOrganization } from '../support/backlog.js';
import { expectedCounts, storedCounts } from '../support/counts-of-queue.js';
import { fillMixedQueue } from '../support/mixed-queue.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';
import { findInTables } from '../support/find-everywhere.js';
import { NO_WORKERS } from '../support/no-listeners.js';
import { noSingleSends } from '../support/single-sends.js';

/** Recipients without an email: more than one batch. */
const WAITING = 5_600;
const NO_FILTER = {
  ...{ campaignId: undefined, contactId: undefined, sender: undefined, tag: undefined },
  ...{ since: undefined, until: undefined, state: undefined },
};
const ignore = { count: () => undefined, report: () => undefined };

let testDatabase: TestDatabase;
let database: Database;
let organizationId: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await openDatabase(testDatabase.url, 3);
});
beforeEach(async () => {
  organizationId = await insertOrganization(database);
});
afterAll(async () => {
  await database?.pool.end();
  await testDatabase?.drop();
});

async function insertCanceledBroadcast(emails: number): Promise<string> {
  const id = randomUUID();
  await database.query(
    `with message as (
       insert into messages (id, organization_id, subject, html) values (gen_random_uuid(), $1, 'S', '<p>x</p>') returning id
     )
     insert into broadcasts (id, organization_id, name, message_id, sender, status, recipients, emails, step_at)
     select $2, $1, 'B', id, 'a@acme.example', 'canceled', $3::integer + ${WAITING}, $3, now() from message`,
    [organizationId, id, emails],
  );
  await database.query(
    `insert into broadcast_recipients (broadcast_id, address_key, address, place)
     select $1, a, a, n from generate_series(1, ${WAITING}) n, lateral (select 'w' || n || '@example.com' as a) x`,
    [id],
  );
  return id;
}

describe('A bulk cancellation over several batches', () => {
  it('ends each email of an organization according to what happened to it, and updates every counter exactly', async () => {
    const sizes = { emails: 5_003, contacts: 701, campaigns: 3, recipients: 2 } as const;
    const queue = await fillMixedQueue(database, organizationId, sizes);
    const expected = expectedCounts(queue);
    const canceled = await cancelOrganizationMail(database, organizationId);
    expect(canceled).toEqual({ emails: expected.statuses.canceled, broadcasts: 0 });
    expect(await storedCounts(database, organizationId, queue)).toEqual(expected);
  });

  it('finds canceled emails by status, newest first, together with any other filter', async () => {
    const sizes = { emails: 305, contacts: 5, campaigns: 2, recipients: 1 } as const;
    const queue = await fillMixedQueue(database, organizationId, sizes);
    await cancelOrganizationMail(database, organizationId);
    const ids = await database.query<{ id: string; campaign_id: string | null }>(
      `select id, campaign_id from emails where organization_id = $1 and status = 'canceled' order by id desc`,
      [organizationId],
    );
    const found = async (fields: Partial<ListFilter>): Promise<string[]> => {
      const filter = { organizationId, ...NO_FILTER, status: 'canceled' as const, ...fields };
      const { source, values } = listStatement(filter, { limit: 500 });
      return (await database.query<{ id: string }>(`select e.id from ${source}`, values)).map(({ id }) => id);
    };
    expect(ids.length).toBeGreaterThan(100);
    expect(await found({})).toEqual(ids.map(({ id }) => id));
    const [campaignId] = queue.campaignIds;
    const ofCampaign = ids.filter(({ campaign_id }) => campaign_id === campaignId);
    expect(await found({ campaignId })).toEqual(ofCampaign.map(({ id }) => id));
  });

  it('updates no index of the emails, except where a page is full', async () => {
    const sizes = { emails: 8_000, contacts: 8_000, campaigns: 1, recipients: 1, unclaimed: true } as const;
    await fillMixedQueue(database, organizationId, sizes);
    await database.query('vacuum emails');
    const read = async () => {
      const [row] = await database.query<{ updated: number; withoutIndexes: number }>(
        `select n_tup_upd::integer as updated, n_tup_hot_upd::integer as "withoutIndexes"
           from pg_stat_user_tables where relname = 'emails'`,
      );
      return row!;
    };
    const before = await read();
    await cancelOrganizationMail(database, organizationId);
    // Postgres publishes the statistics of a connection within seconds.
    await eventually(async () => {
      const { updated, withoutIndexes } = await read();
      const isTold = updated - before.updated >= sizes.emails;
      return isTold && withoutIndexes - before.withoutIndexes > 0.3 * sizes.emails;
    }, 60_000);
  });

  it('does the same for a broadcast, and leaves none of its recipients', async () => {
    const sizes = { emails: 2_503, contacts: 2_503, campaigns: 1, recipients: 1 } as const;
    const id = await insertCanceledBroadcast(sizes.emails);
    const queue = await fillMixedQueue(database, organizationId, sizes, id);
    const expected = expectedCounts(queue);
    const unused = undefined as never;
    const step = new BroadcastStep(unused, unused, unused, noSingleSends);
    const steps = new BroadcastSteps(database, step, unused, ignore as never, ignore as never, ignore as never);
    while ((await steps.next()).nextInMs === 0);
    expect(await storedCounts(database, organizationId, queue)).toEqual(expected);
    const [broadcast] = await database.query(
      `select canceled::integer, step_at > now() - interval '1 s' as "goesOn",
              (select count(*)::integer from broadcast_recipients where broadcast_id = b.id) as waiting
         from broadcasts b where id = $1`,
      [id],
    );
    // The broadcast waits for the emails that workers are sending.
    expect(broadcast).toEqual({ canceled: expected.statuses.canceled, goesOn: true, waiting: 0 });
  });

  it('does the same when the only recipient of the emails is erased, and no row keeps the address', async () => {
    const sizes = { emails: 1_201, contacts: 1, campaigns: 2, recipients: 1, unclaimed: true } as const;
    const queue = await fillMixedQueue(database, organizationId, sizes);
    const [contact] = await database.query<{ address: string }>(
      'select address from contacts where organization_id = $1',
      [organizationId],
    );
    const steps = new ErasureSteps(database, ignore as never, ignore as never);
    const erasures = new ContactErasures(database, steps, NO_WORKERS);
    await erasures.erase(organizationId, operatorOf(organizationId), contact!.address);
    while ((await steps.next()) === 0);
    const expected = { ...expectedCounts(queue), contacts: {}, members: [] };
    expect(await storedCounts(database, organizationId, queue)).toEqual(expected);
    expect(await findInTables(database, [contact!.address])).toEqual([]);
  });
});
