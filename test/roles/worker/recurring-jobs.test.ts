import { jest } from '@jest/globals';
import { EmailRecovery } from '../../../src/emails/delivery/email-recovery.js';
import { eventually } from '../../support/eventually.js';
import { WebhookBench } from '../../webhooks/webhook-bench.js';

let bench: WebhookBench;

beforeEach(async () => {
  bench = await WebhookBench.start();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await bench?.stop();
});

it('run however long another one takes, which uses only one slot', async () => {
  const recovery = jest.spyOn(EmailRecovery.prototype, 'run');
  await bench.service.database.transaction(async (sql) => {
    await sql.query('lock table webhook_deliveries in access exclusive mode');
    for (let time = 0; time < 10; time++) await bench.run('forget-webhook-deliveries');
    for (let time = 0; time < 10; time++) await bench.run('sweep-webhooks');
    const before = recovery.mock.calls.length;
    await bench.run('recover-emails');
    await eventually(() => recovery.mock.calls.length > before);
  });
});
