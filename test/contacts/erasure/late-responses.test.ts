import type { SendResponse } from '../../../src/emails/accept/send-response.js';
import { announceResult } from '../../../src/platform/queue/result-channel.js';
import { connectForBlocking } from '../../../src/platform/redis/connect.js';
import { eventually } from '../../support/eventually.js';
import { TestService, type ApiResponse, type TestClient } from '../../support/service.js';
import { eraseWithoutWorker } from '../../support/erase-without-worker.js';

const JANE = 'jane@example.com';
const MESSAGE = { from: 'a@acme.example', to: JANE, subject: 'S', htmlContent: '<p>x</p>' };

let service: TestService;
let client: TestClient;

/** Without a worker: each test says what is delivered, and when the waiting request learns of it. */
beforeAll(async () => {
  const environment = { ROLES: 'api', SEND_RESPONSE_TIMEOUT_MS: '120000' };
  service = await TestService.start({ environment });
});
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

/** Takes the email that a request waits for out of the queue as sent. @returns its ID and the process that waits */
async function deliver(): Promise<{ id: string; waiter: string }> {
  const sent = `
    with gone as (delete from pending_emails where organization_id = $1 returning email_id, waiter)
    update emails set status = 'sent', provider_id = 'p1', sent_at = now() from gone where id = gone.email_id
    returning id, waiter`;
  return eventually(async () => {
    const [row] = await service.database.query<{ id: string; waiter: string }>(sent, [client.organizationId]);
    return row ?? false;
  });
}

/** Sends, and erases the recipient after the delivery, before the waiting request responds. */
async function sendAndErase(key?: string): Promise<{ id: string; response: ApiResponse<SendResponse> }> {
  const waiting = client.post<SendResponse>('/api/send', MESSAGE, key === undefined ? {} : { 'idempotency-key': key });
  const { id, waiter } = await deliver();
  await eraseWithoutWorker(service, client, JANE);
  const redis = connectForBlocking(service.settings.REDIS_URL);
  try {
    await announceResult(redis, waiter, id);
  } finally {
    redis.disconnect();
  }
  return { id, response: await waiting };
}

describe('The response of a send whose recipient is erased before it', () => {
  it('has the ID of the email, because that of the provider is erased', async () => {
    const { id, response } = await sendAndErase();
    expect([response.status, response.body]).toMatchObject([200, { id }]);
  });

  it('is the same for a repeat with its idempotency key', async () => {
    const { id, response } = await sendAndErase('welcome');
    expect([response.status, response.body]).toMatchObject([200, { id }]);
    const again = await client.post('/api/send', MESSAGE, { 'idempotency-key': 'welcome' });
    expect([again.status, again.body]).toEqual([200, response.body]);
  });

  it('reports the delivery, though its idempotency key had the address and is erased', async () => {
    const { id, response } = await sendAndErase(`welcome ${JANE}`);
    expect([response.status, response.body]).toMatchObject([200, { id }]);
  });
});
