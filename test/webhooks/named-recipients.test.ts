import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { AWAIT_RESULT } from '../support/service.js';
import { WebhookBench } from './webhook-bench.js';

let bench: WebhookBench;
let receiver: WebhookReceiver;

beforeAll(async () => {
  bench = await WebhookBench.start({ environment: AWAIT_RESULT });
  receiver = await WebhookReceiver.listen();
});
afterAll(async () => {
  await receiver?.stop();
  await bench?.stop();
});

it('names recipients by their addresses alone, as responses do, in every event', async () => {
  await bench.webhook(receiver.url, ['EMAIL_SENT', 'EMAIL_OPENED', 'EMAIL_CLICKED', 'EMAIL_BOUNCED']);
  bench.service.mailServer.scripts.add('gone@example.com', { phase: 'rcpt', reply: '550 5.1.1 No such user' });
  const { status, body } = await bench.client.post<SendResponse>('/api/send', {
    from: 'Ada <ada@acme.example>',
    to: ['Reader <Reader@example.com>', '"Doe, \\"J\\" <x@y>" <doe@example.com>', 'gone@example.com'],
    subject: 'S',
    htmlContent: '<a href="https://example.com/a">a</a>',
  });
  const to = ['Reader@example.com', 'doe@example.com', 'gone@example.com'];
  expect([status, body.to]).toEqual([200, to]);
  await bench.service.track(body.pixelUrl);
  await bench.service.track(body.links[0]!.trackingUrl);
  const events = (await bench.arrived(receiver, 4)).map(
    (request) => JSON.parse(request.body) as { type: string; data: { from: string; to: string[] } },
  );
  expect(events.map(({ type }) => type).sort()).toEqual([
    'EMAIL_BOUNCED',
    'EMAIL_CLICKED',
    'EMAIL_OPENED',
    'EMAIL_SENT',
  ]);
  expect(events.map(({ data }) => data.to)).toEqual([to, to, to, to]);
  expect(events.map(({ data }) => data.from)).toEqual(events.map(() => body.from));
});

it('stores no event about a recipient for a webhook that is disabled, so that none arrives once it is enabled', async () => {
  const types = ['EMAIL_BOUNCED'];
  const [on, off] = [await bench.webhook(receiver.url, types), await bench.webhook(receiver.url, types)];
  expect((await bench.patch(off.id, { enabled: false })).status).toBe(200);
  bench.service.mailServer.scripts.add('left@example.com', { phase: 'rcpt', reply: '550 5.1.1 No such user' });
  await bench.client.post('/api/send', {
    ...{ from: 'ada@acme.example', to: ['reader@example.com', 'left@example.com'], subject: 'S', htmlContent: 'x' },
  });
  await bench.delivery(on.id, ({ status }) => status === 'delivered');
  expect(await bench.deliveries(off.id)).toEqual([]);
});
