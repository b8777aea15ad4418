import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { CONSUMER_OPTIONS } from '../../src/roles/worker/worker-options.js';
import { bundledProgram } from '../support/bundled-program.js';
import { eventually } from '../support/eventually.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { TestService } from '../support/service.js';
import { WebhookBench } from './webhook-bench.js';

/**
 * The sweep starts with its worker and may have died with it. Then it runs again once its lock has expired and the next
 * check for stalled jobs finds it, plus the time that this machine needs.
 */
const SWEPT_AFTER_DEATH_MS = CONSUMER_OPTIONS.lockDuration + 2 * CONSUMER_OPTIONS.stalledInterval + 10_000;

it('W13: other workers deliver the webhook of a worker that is killed right after it marked the email as sent', async () => {
  const bench = await WebhookBench.start({ environment: { ROLES: 'api' } });
  const receiver = await WebhookReceiver.listen();
  const program = await bundledProgram(join(import.meta.dirname, 'doomed-worker.ts'));
  try {
    const { service } = bench;
    await bench.webhook(receiver.url);
    const email = { from: 'a@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    const { body } = await bench.client.post<SendResponse>('/api/send', email, { prefer: 'respond-async' });

    const { PLANS, ...others } = service.settings;
    const settings = Buffer.from(JSON.stringify({ ...others, PLANS: [...PLANS] })).toString('base64');
    const worker = spawn(process.execPath, [program.file, settings], { stdio: 'ignore' });
    const [, signal] = (await once(worker, 'exit')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    const rows = await service.database.query('select id, status, attempts from webhook_deliveries');
    expect(rows).toEqual([{ id: expect.any(String), status: 'pending', attempts: 0 }]);
    expect(receiver.received).toHaveLength(0);
    expect(service.mailServer.messages).toHaveLength(1);

    const other = await TestService.start({
      beside: service,
      environment: { ROLES: 'worker', WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' },
    });
    try {
      const [request] = await eventually(
        () => receiver.received.length > 0 && [...receiver.received],
        SWEPT_AFTER_DEATH_MS,
      );
      expect(request!.id).toBe(rows[0]!.id);
      expect(JSON.parse(request!.body)).toMatchObject({
        type: 'EMAIL_SENT',
        data: { emailTrackingId: body.emailTrackingId },
      });
      await bench.sweep();
      expect(receiver.received).toHaveLength(1);
      expect(service.mailServer.messages).toHaveLength(1);
    } finally {
      await other.stop();
    }
  } finally {
    await program.remove();
    await receiver.stop();
    await bench.stop();
  }
});
