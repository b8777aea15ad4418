import { Broadcasts } from '../../src/broadcasts/broadcasts.js';
import { allSuppressedReason } from '../../src/emails/delivery/all-suppressed.js';
import { insertOrganization } from '../support/backlog.js';
import { countingPages } from '../support/pages-read.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

const FAILED = 5_000;
const SUPPRESSED = 10;

let open: OpenTestDatabase;

beforeAll(async () => void (open = await openTestDatabase(2)));
afterAll(() => open?.close());

it('a list of broadcasts counts thousands of failed emails without reading each of them', async () => {
  const { database } = open;
  const organizationId = await insertOrganization(database);
  await database.transaction(async (sql) => {
    // Vacuum marks no page whose rows are not on disk yet.
    await sql.query('set local synchronous_commit = on');
    await sql.query(
      `with message as (
       insert into messages (id, organization_id, subject) values (gen_random_uuid(), $1, 'S') returning id
     ), broadcast as (
       insert into broadcasts (id, organization_id, message_id, name, status, sender, recipients, emails)
       select gen_random_uuid(), $1, id, 'B', 'sent', 'a@acme.example', $2::integer, $2::integer from message returning id
     )
     insert into emails (id, tracking_id, organization_id, contact_ids, status, created_at, failed_at, broadcast_id, last_error)
     select gen_random_uuid(), 'b-' || gen_random_uuid(), $1, '{}', 'failed', now(), now(), broadcast.id,
            case when n <= $3::integer then $4 else repeat('550 5.1.1 No such mailbox ', 8) end
       from broadcast, generate_series(1, $2::integer) n`,
      [organizationId, FAILED, SUPPRESSED, allSuppressedReason([])],
    );
  });
  await database.query('vacuum analyze emails');
  const pages: number[] = [];
  const { items } = await new Broadcasts(countingPages(database, pages)).list(organizationId, '', { limit: 1_000 });
  expect(items.map(({ progress }) => progress)).toMatchObject([
    { total: FAILED, failed: FAILED - SUPPRESSED, suppressed: SUPPRESSED },
  ]);
  expect(pages).toHaveLength(1);
  expect(pages[0]).toBeLessThan(100);
});
