import { requestCancellation } from '../../src/organizations/deletion/cancel-organization-mail.js';
import { resumeSending, suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

/** The clock of the API processes, which the test advances. */
let elapsedMs = 0;
const clock = { now: () => Date.now() + elapsedMs };

let service: TestService;
let secondProcess: TestService;
let worker: TestService | undefined;
let client: TestClient;
let other: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' }, clock });
  secondProcess = await TestService.start({ beside: service, environment: { ROLES: 'api' }, clock });
  [client, other] = [await service.organization(), await service.organization()];
});
afterAll(async () => {
  await worker?.stop();
  await secondProcess?.stop();
  await service?.stop();
});

const email = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', htmlContent: '<p>x</p>' };
const send = async (by: TestClient): Promise<string> => {
  const { status, body } = await by.post<{ emailTrackingId: string }>('/api/send', email, { prefer: 'respond-async' });
  expect(status).toBe(202);
  return body.emailTrackingId;
};
const statusOf = async (id: string): Promise<string> => {
  const [row] = await service.database.query<{ status: string }>('select status from emails where tracking_id = $1', [
    id,
  ]);
  return row!.status;
};

describe('`cli org suspend ID --reason TEXT` / `resume`', () => {
  let waiting: string;

  it('keys get 403 with the reason, within 5 seconds everywhere', async () => {
    waiting = await send(client);
    expect((await secondProcess.client('', client.apiKey).get('/api/campaigns')).status).toBe(200);
    await suspendOrganization(service.database, client.organizationId, 'It sends spam');
    elapsedMs += 4_900;
    for (const process of [service, secondProcess]) {
      const suspended = process.client('', client.apiKey);
      const error = 'This organization is suspended: It sends spam';
      expect(await suspended.get('/api/campaigns')).toMatchObject({ status: 403, body: { error } });
      expect(await suspended.post('/api/send', email)).toMatchObject({ status: 403, body: { error } });
      expect((await process.client('', other.apiKey).get('/api/campaigns')).status).toBe(200);
    }
  });

  it('queued mail waits, and mail of other organizations does not', async () => {
    worker = await TestService.start({ beside: service, environment: { ROLES: 'worker' } });
    const later = await send(other);
    await eventually(async () => (await statusOf(later)) === 'sent');
    expect(await statusOf(waiting)).toBe('queued');
  });

  it('metrics count suspended organizations, and those whose mail is not fully canceled yet', async () => {
    const { database } = service;
    const { organizationId } = await service.organization();
    await suspendOrganization(database, organizationId, 'Phishing');
    await requestCancellation(database, organizationId);
    await database.query(
      `update sending_guards set cancel_step_at = now() + interval '1 day' where cancel_step_at is not null`,
    );
    const seen = async (name: string, value: number): Promise<boolean> =>
      (await worker!.metrics.metrics()).includes(`mailbeacon_organizations_${name} ${value}\n`);
    await eventually(() => seen('suspended', 2));
    await eventually(() => seen('being_canceled', 1));
  });

  it('a second suspension changes the reason', async () => {
    await suspendOrganization(service.database, client.organizationId, 'It still sends spam');
    elapsedMs += 4_900;
    expect(await client.get('/api/campaigns')).toMatchObject({
      body: { error: 'This organization is suspended: It still sends spam' },
    });
  });

  it('resume: keys work again and queued mail is sent', async () => {
    expect(await resumeSending(service.database, client.organizationId)).toBe(true);
    elapsedMs += 4_900;
    expect((await client.get('/api/campaigns')).status).toBe(200);
    await eventually(async () => (await client.get<EmailDetail>(`/api/emails/${waiting}`)).body.status === 'sent');
  });
});
