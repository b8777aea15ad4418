import { suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { TestService, type TestClient } from '../support/service.js';

const SUSPENDED = { error: 'This organization is suspended: It sends spam' };

let service: TestService;
let client: TestClient;

beforeAll(async () => void (service = await TestService.start({ environment: { ROLES: 'api' } })));
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

const email = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', htmlContent: '<p>x</p>' };

async function stored(): Promise<unknown> {
  const [row] = await service.database.query(
    `select (select count(*)::integer from emails where organization_id = $1) as emails,
            (select count(*)::integer from idempotency_keys where organization_id = $1) as keys`,
    [client.organizationId],
  );
  return row;
}

/** Admits a request as if it had begun before the suspension: its process knows the key for three seconds. */
async function suspendAfterAdmission(): Promise<void> {
  expect((await client.get('/api/emails')).status).toBe(200);
  await suspendOrganization(service.database, client.organizationId, 'It sends spam');
}

async function draft(): Promise<string> {
  const message = { name: 'B', from: 'a@acme.example', subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await client.post<{ id: string }>('/api/broadcasts', message);
  await client.post(`/api/broadcasts/${body.id}/recipients`, { recipients: [{ to: 'ada@example.com' }] });
  return body.id;
}

describe('mail of a request that was admitted before a suspension and is stored after it', () => {
  it('is refused, because a cancellation of all mail would not find it', async () => {
    await suspendAfterAdmission();
    const headers = { prefer: 'respond-async', 'idempotency-key': 'one' };
    expect(await client.post('/api/send', email, headers)).toMatchObject({ status: 403, body: SUSPENDED });
    expect(await stored()).toEqual({ emails: 0, keys: 0 });
  });

  it('is refused as a batch, whole', async () => {
    await suspendAfterAdmission();
    const batch = { emails: [email, { ...email, subject: 'T' }] };
    const response = await client.post('/api/send/batch', batch, { 'idempotency-key': 'one' });
    expect(response).toMatchObject({ status: 403, body: SUSPENDED });
    expect(await stored()).toEqual({ emails: 0, keys: 0 });
  });

  it('is refused as a broadcast, which stays a draft', async () => {
    const id = await draft();
    await suspendAfterAdmission();
    expect(await client.post(`/api/broadcasts/${id}/send`)).toMatchObject({ status: 403, body: SUSPENDED });
    expect(await service.database.query('select status from broadcasts where id = $1', [id])).toEqual([
      { status: 'draft' },
    ]);
  });

  it('is refused as a retry, and stays failed', async () => {
    const { body } = await client.post('/api/send', email, { prefer: 'respond-async' });
    const failed = `/api/emails/${String(body.emailTrackingId)}`;
    await service.database.query(
      `with gone as (delete from pending_emails where organization_id = $1 returning email_id)
       update emails e set status = 'failed', failed_at = now() from gone where e.id = gone.email_id`,
      [client.organizationId],
    );
    await suspendAfterAdmission();
    expect(await client.post(`${failed}/retry`)).toMatchObject({ status: 403, body: SUSPENDED });
    expect(
      await service.database.query(
        'select status from emails e left join pending_emails p on p.email_id = e.id where e.organization_id = $1',
        [client.organizationId],
      ),
    ).toEqual([{ status: 'failed' }]);
  });
});
