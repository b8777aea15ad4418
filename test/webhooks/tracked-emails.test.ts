import type { TrackResponse } from '../../src/emails/accept/track-response.js';
import { eventually } from '../support/eventually.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { WebhookBench } from './webhook-bench.js';

let bench: WebhookBench;
let receiver: WebhookReceiver;

beforeAll(async () => {
  bench = await WebhookBench.start();
  receiver = await WebhookReceiver.listen();
});
afterAll(async () => {
  await receiver?.stop();
  await bench?.stop();
});

it('has no sender for an email that another provider sends and that was tracked without one', async () => {
  await bench.webhook(receiver.url, ['EMAIL_OPENED']);
  const email = { to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await bench.client.post<TrackResponse>('/api/emails', email);
  await bench.service.track(body.pixelUrl);
  const [opened] = await eventually(() => receiver.received.length > 0 && receiver.received);
  const { data } = JSON.parse(opened!.body) as { data: { id: string; from: string | null } };
  expect(data).toMatchObject({ id: body.id, from: null });
  expect((await bench.client.get(`/api/emails/${body.id}`)).body).toMatchObject({ from: null });
});
