import type { ContactDetail } from '../../src/contacts/contact-views.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;
beforeAll(async () => {
  service = await TestService.start();
  client = await service.organization();
});
afterAll(() => service?.stop());

const reader = 'reader@example.com';
const refusal = { phase: 'rcpt', reply: '554 5.7.1 Not today' } as const;

async function read(id: string): Promise<EmailDetail> {
  return (await client.get<EmailDetail>(`/api/emails/${id}`)).body;
}

/** Waits until the email has this status, with all its recipients recorded. */
async function hasBecome(id: string, status: string): Promise<void> {
  const isInstalled = async () => (await read(id)).status === status;
  await eventually(isInstalled).catch(async () => expect(await read(id)).toEqual(expect.objectContaining({ status })));
}

async function timesSuppressed(): Promise<number> {
  const [row] = await service.database.query<{ suppressed: number }>(
    `select sum(suppressed)::int as suppressed from campaign_totals t join campaigns c on c.id = t.campaign_id
      where c.organization_id = $1`,
    [client.organizationId],
  );
  return row!.suppressed;
}

it('a suppressed recipient counts once as sent after a retry of the email has reached it', async () => {
  const email = { from: 'ada@acme.example', to: reader, subject: 'S', htmlContent: '<p>x</p>', campaignId: 'Spring' };
  service.mailServer.scripts.add(reader, refusal, 1);
  const { body } = await client.post<SendResponse>('/api/send', email, { prefer: 'respond-async' });
  const id = body.emailTrackingId;
  const becomes = (status: string) => hasBecome(id, status);
  await becomes('failed');
  await client.post('/api/suppressions', { address: reader });
  for (let time = 0; time < 2; time++) {
    await client.post(`/api/emails/${id}/retry`);
    await becomes('failed');
  }
  expect((await read(id)).recipients).toMatchObject([{ state: 'suppressed' }]);
  expect(await timesSuppressed()).toBe(1);
  await client.delete(`/api/suppressions/${reader}`);
  await client.post(`/api/emails/${id}/retry`);
  await becomes('sent');
  expect((await read(id)).recipients).toMatchObject([{ state: 'sent', reason: null, smtpStatus: null }]);
  expect(await timesSuppressed()).toBe(1);
});

it('an email counts as sent only to contacts that got it, and stays in the totals of the others', async () => {
  const [left, refused, stays] = ['left@example.com', 'refused@example.com', 'stays@example.com'];
  for (const address of [left, stays]) service.mailServer.scripts.add(address, refusal, 1);
  service.mailServer.scripts.add(refused, refusal);
  const email = { from: 'ada@acme.example', to: [left, refused, stays], subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await client.post<SendResponse>('/api/send', email, { prefer: 'respond-async' });
  const becomes = (status: string) => hasBecome(body.emailTrackingId, status);
  await becomes('failed');
  await client.post('/api/suppressions', { address: left });
  await client.post(`/api/emails/${body.emailTrackingId}/retry`);
  await becomes('sent');
  const contact = async (address: string) => (await client.get<ContactDetail>(`/api/contacts/${address}`)).body;
  expect(await contact(stays)).toMatchObject({ totalEmails: 1, timeline: [{ type: 'sent' }] });
  expect(await contact(left)).toMatchObject({ totalEmails: 1, timeline: [] });
  expect(await contact(refused)).toMatchObject({ totalEmails: 1, timeline: [] });
});
