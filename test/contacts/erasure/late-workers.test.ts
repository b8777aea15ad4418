import { randomUUID } from 'node:crypto';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { EmailLoader } from '../../../src/emails/delivery/load-email.js';
import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { TestService, type TestClient } from '../../support/service.js';
import { eraseWithoutWorker } from '../../support/erase-without-worker.js';

const [JANE, BOB] = ['jane@example.com', 'bob@example.com'];

let service: TestService;
let client: TestClient;
let state: DeliveryState;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  state = new DeliveryState(service.database, new WebhookOutbox());
});
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

/** An email to both that waits in the queue. */
async function queued(): Promise<string> {
  const message = { from: 'a@acme.example', to: [JANE, BOB], subject: 'S', htmlContent: 'x' };
  const { body } = await client.post<{ emailTrackingId: string }>('/api/send', message, { prefer: 'respond-async' });
  return (await client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`)).body.id;
}

const becomesDue = (id: string) =>
  service.database.query(`update pending_emails set due_at = now() - interval '1 s' where email_id = $1`, [id]);
/** As if only the recipients had changed since the worker loaded the email. */
async function claim(emailId: string, addresses: readonly string[]) {
  const { generation } = (await new EmailLoader(service.database).find(emailId))!;
  const audience = { organizationId: client.organizationId, unsubscribe: false, addresses };
  return state.claim({ emailId, token: randomUUID() }, generation, audience);
}

describe('After an erasure a worker that has loaded an email to several before', () => {
  it('cannot claim it with the address, however late; one that loads it again can', async () => {
    const id = await queued();
    await eraseWithoutWorker(service, client, JANE);
    await becomesDue(id);
    expect(await claim(id, [JANE, BOB])).toBeUndefined();
    expect(await claim(id, [BOB])).toBe(1);
  });

  it('and lost its lease stores no outcome, which would bring the address back', async () => {
    const [erased, kept] = [await queued(), await queued()];
    const token = randomUUID();
    await service.database.query('update pending_emails set doubt_token = $1, possible_duplicate = true', [token]);
    const outcome = {
      ...{ providerId: 'p', urls: [], sentAt: new Date() },
      recipients: [{ address: JANE, state: 'accepted' as const }],
    };
    expect(await state.markSent({ emailId: kept, token }, outcome)).toBeDefined();
    await eraseWithoutWorker(service, client, JANE);
    expect(await state.markSent({ emailId: erased, token }, outcome)).toBeUndefined();
    const rows = await service.database.query<{ id: string }>(
      `select email_id as id from recipient_deliveries where email_id = $1`,
      [erased],
    );
    expect(rows).toEqual([]);
  });
});
