import { Queue } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { SendingStateView } from '../../src/emails/sending-state/sending-state.js';
import { QUEUE_PREFIX, QUEUES } from '../../src/platform/queue/jobs.js';
import { connectForBlocking } from '../../src/platform/redis/connect.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';
import { SmtpStub } from '../support/smtp-stub.js';
import { addOwnProvider, verifyWithoutDns } from '../support/stored-provider.js';

let own: SmtpStub;
let service: TestService;
let client: TestClient;

beforeEach(async () => {
  own = await SmtpStub.listen();
  service = await TestService.start({
    environment: {
      ...{ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', SEND_RESPONSE_TIMEOUT_MS: '500' },
      DISPATCH_WINDOW: '10',
    },
  });
  client = await service.organization();
  await verifyWithoutDns(service, client.organizationId, 'acme.example');
});
afterEach(async () => {
  await service?.stop();
  await own?.close();
});

async function send(): Promise<EmailDetail> {
  const email = { from: 'a@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await client.post<SendResponse>('/api/send', email);
  return (await client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`)).body;
}

it('the job of a canceled email ends, although its provider is still paused', async () => {
  own.credentials = { user: 'ada', pass: 'right' };
  await addOwnProvider(service, client.organizationId, { credentials: { url: own.url.replace('right', 'wrong') } });
  const redis = connectForBlocking(service.settings.REDIS_URL);
  const queue = new Queue(QUEUES.emails, { connection: redis, prefix: QUEUE_PREFIX });
  try {
    await send();
    await eventually(async () => {
      const { body } = await client.get<SendingStateView>('/api/sending');
      return body.provider.state === 'credential-refused';
    });
    // The pause has begun with the first email, so the job of this one waits.
    const { id, status } = await send();
    expect(status).toBe('queued');
    const job = () => queue.getJob(`email-${id}-0`);
    await eventually(async () => (await job())?.isDelayed());
    expect((await client.post(`/api/emails/${id}/cancel`)).body).toMatchObject({ status: 'canceled' });
    await eventually(async () => {
      await queue.promoteJobs();
      return (await job()) === undefined;
    });
  } finally {
    await queue.close();
    redis.disconnect();
  }
});

it('a broadcast leaves a slow provider soon after it is deleted', async () => {
  await addOwnProvider(service, client.organizationId, { credentials: { url: own.url } });
  own.scripts.add('*', { phase: 'dot', after: sleep(7_000) });
  const broadcasts = new BroadcastClient(client);
  const id = await broadcasts.create();
  await broadcasts.add(id, people(12));
  await broadcasts.move(id, 'send');
  await eventually(() => own.received.length > 0);
  await service.database.query('delete from organization_providers');
  await broadcasts.settled(id, 'sent');
  expect(own.messages.length).toBeLessThanOrEqual(4);
  expect(own.messages.length + service.mailServer.messages.length).toBe(12);
});

it('a broadcast that waits for its provider stops no broadcast of others', async () => {
  own.credentials = { user: 'ada', pass: 'right' };
  await addOwnProvider(service, client.organizationId, { credentials: { url: own.url.replace('right', 'wrong') } });
  const [held, free] = [client, await service.organization()].map((one) => new BroadcastClient(one));
  const id = await held!.create();
  await held!.add(id, people(60));
  await held!.move(id, 'send');
  await eventually(async () => {
    const [row] = await service.database.query<{ jobs: number }>(
      'select count(*)::integer as jobs from pending_emails where dispatched_at is not null',
    );
    return row!.jobs >= 10;
  });
  const other = await free!.create();
  await free!.add(other, people(30));
  await free!.move(other, 'send');
  await free!.settled(other, 'sent');
  expect(service.mailServer.messages).toHaveLength(30);
  expect((await held!.read(id)).progress.queued).toBe(60);
});
