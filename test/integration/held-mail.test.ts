import { resumeSending, suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { sendGridError, SendGridStub } from '../support/sendgrid-stub.js';
import { TestService } from '../support/service.js';
import { throughSendGrid } from '../support/through-sendgrid.js';

let sendGrid: SendGridStub;
let service: TestService;
let worker: TestService | undefined;

beforeAll(async () => {
  sendGrid = await SendGridStub.listen();
  service = await TestService.start({ environment: { ROLES: 'api', ...throughSendGrid(sendGrid) } });
});
afterAll(async () => {
  await worker?.stop();
  await service?.stop();
  await sendGrid?.close();
});

it('mail that an operator held back for more than a day survives a provider that is busy when it continues', async () => {
  const client = await service.organization();
  const to = 'ada@readers.example';
  const email = { from: 'a@acme.example', to, subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await client.post<{ emailTrackingId: string }>('/api/send', email, { prefer: 'respond-async' });
  await suspendOrganization(service.database, client.organizationId, 'An investigation');
  await service.database.query(
    `update pending_emails set queued_at = now() - interval '25 h', due_at = now() - interval '25 h'`,
  );
  const busy = { ...sendGridError(429, 'too many requests'), headers: { 'retry-after': '1' } };
  sendGrid.scripts.add(to, busy, 1);
  sendGrid.scripts.add(to, sendGridError(503, 'try again'), 1);
  await resumeSending(service.database, client.organizationId);
  worker = await TestService.start({
    beside: service,
    environment: { ROLES: 'worker', ...throughSendGrid(sendGrid) },
  });
  const detail = await eventually(async () => {
    const found = (await client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`)).body;
    return found.status !== 'queued' && found.status !== 'sending' && found;
  }, 60_000);
  expect(detail).toMatchObject({ status: 'sent', possibleDuplicate: false });
});
