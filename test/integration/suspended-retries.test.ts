import { resumeSending, suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { bringForward } from '../support/bring-forward.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';
import { triedMoreThan } from '../support/tried-more-than.js';

const to = 'ada@readers.example';

let service: TestService;
let client: TestClient;

beforeAll(async () => void (service = await TestService.start()));
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

it('an email that was tried before a suspension of more than a day is retried for a day after it', async () => {
  service.mailServer.scripts.add(to, { phase: 'rcpt', reply: '451 4.7.1 Later' });
  const email = { from: 'a@acme.example', to, subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await client.post<{ emailTrackingId: string }>('/api/send', email, { prefer: 'respond-async' });
  const tried = await triedMoreThan(client, 0, body.emailTrackingId);
  await suspendOrganization(service.database, client.organizationId, 'An investigation');
  // An attempt that had begun before.
  await eventually(async () => {
    const leased = await service.database.query('select from pending_emails where lease_token is not null');
    return leased.length === 0;
  });
  const [{ attempts }] = (await service.database.query<{ attempts: number }>(
    `update pending_emails set first_claimed_at = first_claimed_at - interval '25 h' where email_id = $1
     returning attempts`,
    [tried.id],
  )) as [{ attempts: number }];
  await bringForward(service.database, client.organizationId, 25 * 3_600_000);
  await resumeSending(service.database, client.organizationId);
  const { id } = tried;
  expect(await service.database.query('select from pending_emails where email_id = $1', [id])).toHaveLength(1);
  const { status, lastError } = await triedMoreThan(client, attempts, body.emailTrackingId);
  expect({ status, lastError }).toMatchObject({ status: 'queued', lastError: expect.stringContaining('451') });
});
