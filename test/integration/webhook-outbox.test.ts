import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { QUEUE_PREFIX, QUEUES } from '../../src/platform/queue/jobs.js';
import { connectForBlocking } from '../../src/platform/redis/connect.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService } from '../support/service.js';

describe('EMAIL_SENT', () => {
  it('is stored in the transaction that marks the email as sent, once per subscribed endpoint, and adds a job with only its ID', async () => {
    const service = await TestService.start({ environment: AWAIT_RESULT });
    const redis = connectForBlocking(service.settings.REDIS_URL);
    const queue = new Queue(QUEUES.webhooks, { connection: redis, prefix: QUEUE_PREFIX });
    try {
      await queue.pause(); // A paused queue keeps the job.
      const client = await service.organization();
      const endpoint = randomUUID();
      await service.database.query(
        `insert into webhook_endpoints (id, organization_id, url, events) values
          ($1, $2, 'https://hooks.example/a', '{EMAIL_SENT}'), ($3, $2, 'https://hooks.example/b', '{EMAIL_FAILED}')`,
        [endpoint, client.organizationId, randomUUID()],
      );
      const email = { from: 'a@b.co', to: 'c@d.co', subject: 'S', htmlContent: '<p>x</p>', metadata: { order: 7 } };
      const { body } = await client.post<SendResponse>('/api/send', { ...email, campaignId: 'Hooks' });
      const deliveries = await service.database.query<{ id: string; endpoint_id: string; body: string }>(
        'select id, endpoint_id, body from webhook_deliveries',
      );
      expect(deliveries).toEqual([expect.objectContaining({ endpoint_id: endpoint })]);
      expect(JSON.parse(deliveries[0]!.body)).toEqual({
        type: 'EMAIL_SENT',
        timestamp: expect.any(String),
        data: expect.objectContaining({
          emailTrackingId: body.emailTrackingId,
          to: ['c@d.co'],
          subject: 'S',
          campaign: 'Hooks',
          metadata: { order: 7 },
          sentAt: expect.any(String),
        }),
      });
      // The response does not wait for the job.
      const jobs = await eventually(async () => {
        const found = await queue.getJobs();
        return found.length > 0 && found;
      });
      expect(jobs.map(({ name, data }) => ({ name, data }))).toEqual([
        { name: 'deliver-webhook', data: { deliveryId: deliveries[0]!.id } },
      ]);
    } finally {
      await queue.close();
      redis.disconnect();
      await service.stop();
    }
  });
});
