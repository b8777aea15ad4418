import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome } from '../../src/emails/delivery/settle-unknown-outcome.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { bringForward } from '../support/bring-forward.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

const [{ to: reader }] = people(1) as [{ to: string }];

let service: TestService;
let client: TestClient;
let broadcasts: BroadcastClient;

beforeAll(async () => void (service = await TestService.start()));
beforeEach(async () => {
  client = await service.organization();
  broadcasts = new BroadcastClient(client);
  service.mailServer.scripts.clear();
});
afterAll(() => service?.stop());

const defers = () => service.mailServer.scripts.add(reader, { phase: 'rcpt', reply: '451 4.7.1 Later' });
const detailOf = async (id: string) => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;

/** Resolves with the only email of the broadcast once no worker holds it and it meets the condition. */
function emailWith(broadcastId: string, condition: string): Promise<{ id: string }> {
  return eventually(async () => {
    const [email] = await service.database.query<{ id: string }>(
      `select email_id as id from pending_emails
        where broadcast_id = $1 and lease_token is null and attempts > 0 and ${condition}`,
      [broadcastId],
    );
    return email;
  });
}

const IS_OUT_OF_QUEUE = `due_at > now() + interval '1 year'`;

/** A paused broadcast whose only email was tried once, and is out of the queue. */
async function pausedAfterAttempt(): Promise<{ broadcastId: string; emailId: string }> {
  defers();
  const broadcastId = await broadcasts.create();
  await broadcasts.add(broadcastId, [{ to: reader }]);
  await broadcasts.move(broadcastId, 'send');
  await emailWith(broadcastId, 'true');
  await broadcasts.move(broadcastId, 'pause');
  const { id: emailId } = await emailWith(broadcastId, IS_OUT_OF_QUEUE);
  return { broadcastId, emailId };
}

it('an email that was tried before a pause of more than a day is retried for a day after it', async () => {
  const { broadcastId, emailId } = await pausedAfterAttempt();
  await bringForward(service.database, client.organizationId, 25 * 3_600_000);
  await service.database.query(
    `update pending_emails set first_claimed_at = first_claimed_at - interval '25 h' where email_id = $1`,
    [emailId],
  );
  await broadcasts.move(broadcastId, 'resume');
  const { status, lastError } = await eventually(async () => {
    const email = await detailOf(emailId);
    // The first attempt after the pause does not count the pause itself.
    return (email.attempts > 2 || email.status === 'failed') && email.status !== 'sending' && email;
  });
  expect({ status, lastError }).toMatchObject({ status: 'queued', lastError: expect.stringContaining('451') });
  await broadcasts.move(broadcastId, 'cancel');
});

it('an email of a paused broadcast shows no time of a next attempt', async () => {
  const { broadcastId, emailId } = await pausedAfterAttempt();
  expect(await detailOf(emailId)).toMatchObject({ status: 'queued', attempts: 1, nextAttemptAt: null });
  await service.database.query('update pending_emails set possible_duplicate = true where email_id = $1', [emailId]);
  expect(await listUnknownOutcomes(service.database, client.organizationId, 10)).toMatchObject([
    { id: emailId, state: 'waiting', resendAt: null },
  ]);
  await broadcasts.move(broadcastId, 'resume');
  await emailWith(broadcastId, `not ${IS_OUT_OF_QUEUE}`);
  expect((await detailOf(emailId)).nextAttemptAt).not.toBeNull();
  await broadcasts.move(broadcastId, 'cancel');
});

it('an email that an operator has resent waits until its broadcast continues', async () => {
  const { broadcastId, emailId } = await pausedAfterAttempt();
  await eventually(async () => {
    const resting = await service.database.query('select 1 from broadcasts where id = $1 and step_at is null', [
      broadcastId,
    ]);
    return resting.length > 0;
  });
  await service.database.query('update pending_emails set possible_duplicate = true where email_id = $1', [emailId]);
  service.mailServer.scripts.clear();
  expect(await settleUnknownOutcome(service.database, emailId, 'resend', () => [])).toBe(true);
  // It has left the queue, so that no worker loads it again and again.
  await emailWith(broadcastId, IS_OUT_OF_QUEUE);
  await broadcasts.move(broadcastId, 'resume');
  expect((await broadcasts.settled(broadcastId, 'sent')).progress).toMatchObject({ total: 1, sent: 1 });
});
