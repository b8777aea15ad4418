import { randomUUID } from 'node:crypto';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { lockedOut, whileLocked } from '../../support/held-lock.js';
import { TestService } from '../../support/service.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start({ environment: { ROLES: 'api' } })));
afterAll(() => service?.stop());

it('an email whose copy bounces can fail while one to the recipient of that copy is canceled', async () => {
  const client = await service.organization();
  const send = async (to: string, cc?: string): Promise<string> => {
    const email = { from: 'a@acme.example', to, cc, subject: 'S', textContent: 'x', campaignId: 'Spring' };
    const { body } = await client.post<{ emailTrackingId: string }>('/api/send', email, { prefer: 'respond-async' });
    return body.emailTrackingId;
  };
  const [failing, canceled] = [await send('ada@example.com', 'bob@example.com'), await send('bob@example.com')];
  const [email] = await service.database.query<{ id: string }>('select id from emails where tracking_id = $1', [
    failing,
  ]);
  const state = new DeliveryState(service.database, new WebhookOutbox());
  const lease = { emailId: email!.id, token: randomUUID() };
  expect(await state.claim(lease, 0)).toBe(1);
  const bounces = ['ada@example.com', 'bob@example.com'].map((address) => {
    return { address, state: 'refused', reason: '550 No such user', smtpStatus: '5.1.1' } as const;
  });

  await service.database.query(
    'insert into campaign_totals (campaign_id, shard) select id, 0 from campaigns on conflict do nothing',
  );
  let failure: Promise<unknown> | undefined;
  let cancellation: ReturnType<typeof client.post> | undefined;
  await whileLocked(
    service.database,
    (sql) => sql.query('select from campaign_totals where shard = 0 for update'),
    async () => {
      failure = state.markFailed(lease, 'Nobody exists', bounces);
      failure.catch(() => undefined);
      await lockedOut(service.database, 1);
      cancellation = client.post(`/api/emails/${canceled}/cancel`);
      await lockedOut(service.database, 2);
    },
  );
  expect(await Promise.all([failure, cancellation])).toEqual([[], expect.objectContaining({ status: 200 })]);
});
