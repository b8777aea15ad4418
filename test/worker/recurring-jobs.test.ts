import { jest } from '@jest/globals';
import { DueDeliveries } from '../../src/webhooks/due-deliveries.js';
import { EmailRecovery } from '../../src/worker/email-recovery.js';
import { eventually } from '../support/eventually.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { WebhookBench } from '../webhooks/webhook-bench.js';

let bench: WebhookBench;

beforeEach(async () => {
  bench = await WebhookBench.start({ environment: { WEBHOOK_CONCURRENCY: '10' } });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await bench?.stop();
});

it('run however long another one takes, which fills one place only', async () => {
  const recovery = jest.spyOn(EmailRecovery.prototype, 'run');
  await bench.service.database.transaction(async (sql) => {
    await sql.query('lock table webhook_deliveries in access exclusive mode');
    for (let time = 0; time < 10; time++) await bench.run('forget-webhook-deliveries');
    for (let time = 0; time < 10; time++) await bench.run('sweep-webhooks');
    const before = recovery.mock.calls.length;
    await bench.run('recover-emails');
    await eventually(() => recovery.mock.calls.length > before, 5_000);
  });
}, 30_000);

it('look at a backlog of webhooks again and again, but not all the time', async () => {
  const receiver = await WebhookReceiver.listen();
  receiver.respond = (response) => void setTimeout(() => response.writeHead(204).end(), 5);
  const endpoint = await bench.endpoint(receiver.url);
  await bench.write(endpoint, 50);
  const looks = jest.spyOn(DueDeliveries.prototype, 'claimDue');
  const begun = performance.now();
  await bench.sweep();
  // One sweep or two beside what is looked at every 25 milliseconds.
  expect(looks.mock.calls.length).toBeLessThanOrEqual((performance.now() - begun) / 25 + 3);
  expect(receiver.received).toHaveLength(50);
  await receiver.stop();
}, 30_000);
