import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { bringForward } from '../support/bring-forward.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';
import { triedMoreThan } from '../support/tried-more-than.js';

const HOUR_MS = 3_600_000;
const to = 'ada@readers.example';

let service: TestService;
let client: TestClient;

beforeAll(async () => void (service = await TestService.start()));
beforeEach(async () => {
  client = await service.organization();
  service.mailServer.scripts.clear();
  service.mailServer.scripts.add(to, { phase: 'rcpt', reply: '451 4.7.1 Later' });
});
afterAll(() => service?.stop());

/** Resolves with an email that was tried, and whose organization has no turn until `giveTurn`. */
async function triedBeforeSlowdown(): Promise<EmailDetail> {
  const email = { from: 'a@acme.example', to, subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await client.post<{ emailTrackingId: string }>('/api/send', email, { prefer: 'respond-async' });
  const tried = await triedMoreThan(client, 0, body.emailTrackingId);
  await service.database.query(
    `insert into sending_guards (organization_id, state, reason, paced_until)
     values ($1, 'slowed', 'x', now() + interval '1 hour')`,
    [client.organizationId],
  );
  // Its jobs from before.
  await eventually(async () => {
    const dispatched = await service.database.query(
      'select from pending_emails where organization_id = $1 and dispatched_at is not null',
      [client.organizationId],
    );
    return dispatched.length === 0;
  });
  return (await client.get<EmailDetail>(`/api/emails/${tried.id}`)).body;
}

/** As if its first attempt had been so many hours earlier, and the next one due so many hours earlier. */
async function passed(firstAttempt: number, due: number): Promise<void> {
  await service.database.query(
    `update pending_emails set first_claimed_at = first_claimed_at - $2 * interval '1 hour' where organization_id = $1`,
    [client.organizationId, firstAttempt],
  );
  await bringForward(service.database, client.organizationId, due * HOUR_MS);
}

async function giveTurn(): Promise<void> {
  await service.database.query(
    `update sending_guards set paced_until = now() - interval '1 s' where organization_id = $1`,
    [client.organizationId],
  );
}

it('an email whose retry was due within a day is retried again, although its turn came later than that', async () => {
  const { id, attempts } = await triedBeforeSlowdown();
  await passed(25, 25);
  await giveTurn();
  const { status, lastError } = await triedMoreThan(client, attempts, id);
  expect({ status, lastError }).toMatchObject({ status: 'queued', lastError: expect.stringContaining('451') });
});

it('an email whose retry was due later than a day after its first attempt is not', async () => {
  const { id, attempts } = await triedBeforeSlowdown();
  await passed(26, 1);
  await giveTurn();
  expect(await triedMoreThan(client, attempts, id)).toMatchObject({ status: 'failed' });
});
