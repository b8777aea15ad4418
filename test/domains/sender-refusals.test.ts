import { recordSenderRefusals } from '../../src/domains/sender-refusals.js';
import { insertOrganization } from '../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase()));
afterAll(() => open?.close());

it('a refused sender is noted at the domain of its organization alone, which others may name as sender of tracked mail', async () => {
  const { database } = open;
  const [owner, other] = [await insertOrganization(database), await insertOrganization(database)];
  await database.query(
    `insert into sending_domains (id, organization_id, domain, status) values (gen_random_uuid(), $1, 'acme.example', 'verified')`,
    [owner],
  );
  const refusal = { domain: 'mail.acme.example', reason: '550 5.7.1 Sender refused' };
  const noted = () => database.query('select sender_refusal as reason from sending_domains');
  await recordSenderRefusals(database, [{ ...refusal, organizationId: other }]);
  expect(await noted()).toEqual([{ reason: null }]);
  await recordSenderRefusals(database, [{ ...refusal, organizationId: owner }]);
  expect(await noted()).toEqual([{ reason: refusal.reason }]);
});
