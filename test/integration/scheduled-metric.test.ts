import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api,worker' } });
});
afterAll(() => service?.stop());

async function valuesOf(metric: string): Promise<number[]> {
  const text = await (await fetch(`${service.operatorAddress}/metrics`)).text();
  return [...text.matchAll(new RegExp(`^${metric}(?:\\{.*\\})? (\\S+)$`, 'gm'))].map(([, value]) => Number(value));
}

it('scheduled emails are counted until they are canceled, and are not part of the backlog', async () => {
  const client = await service.organization();
  const email = { from: 'ada@acme.example', to: 'later@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  const sendAt = new Date(Date.now() + 86_400_000).toISOString();
  const { body } = await client.post<SendResponse>('/api/send', { ...email, sendAt });
  expect(await valuesOf('mailbeacon_emails_scheduled')).toEqual([1]);
  expect(Math.max(...(await valuesOf('mailbeacon_emails_due')))).toBe(0);
  expect((await client.post(`/api/emails/${body.emailTrackingId}/cancel`, {})).status).toBe(200);
  await eventually(async () => (await valuesOf('mailbeacon_emails_scheduled'))[0] === 0);
});
