import type { QueryResultRow } from 'pg';
import { eraseFromWebhooks } from '../../../src/contacts/erasure/erase-from-webhooks.js';
import { personOf } from '../../../src/contacts/erasure/person.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import type { Sql } from '../../../src/platform/database/database.js';
import { insertOrganization } from '../../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

const DELIVERIES = 2_000;
const BODY_BYTES = 10_000;

let opened: OpenTestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened.close());

/** Deliveries about an email to Jane and Bob; every fifth one is about Jane. */
async function insertDeliveries(): Promise<string> {
  const organizationId = await insertOrganization(opened.database);
  const [emailId, endpointId] = [uuidV7(Date.now()), uuidV7(Date.now())];
  await opened.database.query(
    `insert into webhook_endpoints (id, organization_id, url) values ($1, $2, 'https://hooks.example')`,
    [endpointId, organizationId],
  );
  await opened.database.query(
    `insert into webhook_deliveries (id, endpoint_id, type, email_id, body)
     select gen_random_uuid(), $1, 'EMAIL_DELIVERED', $2,
            json_build_object('data', json_build_object('to', array['Jane <jane@example.com>', 'bob@example.com'],
              'recipient', case when n % 5 = 0 then 'jane@example.com' else 'bob@example.com' end,
              'metadata', repeat('x', $4)))::text
       from generate_series(1, $3::integer) n`,
    [endpointId, emailId, DELIVERIES, BODY_BYTES],
  );
  return emailId;
}

it('an erasure holds few bodies of webhook deliveries at a time', async () => {
  const emailId = await insertDeliveries();
  let most = 0;
  await opened.database.transaction(async (transaction) => {
    const sql: Sql = {
      async query<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]> {
        const rows = await transaction.query<Row>(text, values);
        most = Math.max(most, JSON.stringify(rows).length);
        return rows;
      },
      prepared: transaction.prepared.bind(transaction),
    };
    await eraseFromWebhooks(sql, [emailId], personOf('any', 'jane@example.com'));
  });
  const [left] = await opened.database.query<{ all: number; jane: number }>(
    `select count(*)::integer as all, (count(*) filter (where body ~* 'jane'))::integer as jane
       from webhook_deliveries where email_id = $1`,
    [emailId],
  );
  expect(left).toEqual({ all: (DELIVERIES * 4) / 5, jane: 0 });
  expect(most).toBeLessThan(5_000_000);
});
