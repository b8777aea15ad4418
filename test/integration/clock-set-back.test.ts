import { jest } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { SendGridStub } from '../support/sendgrid-stub.js';
import { TestService } from '../support/service.js';
import { throughSendGrid } from '../support/through-sendgrid.js';

const HOUR_MS = 3_600_000;
const SENT_WITHIN_MS = 20_000;

let sendGrid: SendGridStub;
let service: TestService;
beforeAll(async () => {
  sendGrid = await SendGridStub.listen();
  service = await TestService.start({ environment: throughSendGrid(sendGrid) });
});
afterAll(async () => {
  jest.restoreAllMocks();
  await service?.stop();
  await sendGrid?.close();
});

it('mail waits no longer than the provider requests when the clock of the host is set back meanwhile', async () => {
  sendGrid.scripts.add('*', { status: 429, headers: { 'retry-after': '2' }, body: { errors: [] } }, 1);
  const client = await service.organization();
  const email = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', htmlContent: '<p>Hello</p>' };
  await client.post('/api/send', email, { prefer: 'respond-async' });
  await eventually(
    async () => (await service.database.query('select from pending_emails where last_error is not null')).length > 0,
  );
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() - HOUR_MS);
  await eventually(() => sendGrid.messages.length === 1, SENT_WITHIN_MS);
});
