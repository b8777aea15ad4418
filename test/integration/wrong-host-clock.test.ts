import { jest } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { SesStub } from '../support/ses-stub.js';
import { TestService } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** Receivers of webhooks and SES accept times that differ by five minutes. */
const AHEAD_MS = 10 * 60_000;
const TOLERATED_MS = 60_000;
const { now } = Date;

let ses: SesStub;
let receiver: WebhookReceiver;
let service: TestService;

beforeAll(async () => {
  [ses, receiver] = await Promise.all([SesStub.listen(), WebhookReceiver.listen()]);
  const provider = { id: 'main', type: 'ses', region: 'eu-west-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 's' };
  jest.spyOn(Date, 'now').mockImplementation(() => now() + AHEAD_MS);
  service = await TestService.start({
    environment: {
      PROVIDERS: JSON.stringify([provider]),
      SES_API_URL: ses.url,
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
      WEBHOOK_ALLOW_HTTP: 'true',
    },
  });
});
afterAll(async () => {
  jest.restoreAllMocks();
  await service?.stop();
  await Promise.all([receiver?.stop(), ses?.close()]);
});

it('SES and receivers of webhooks get signatures with the right time from a host whose clock is wrong', async () => {
  const client = await service.organization();
  expect((await client.post('/api/webhooks', { url: receiver.url, events: ['EMAIL_SENT'] })).status).toBe(201);
  const email = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  expect((await client.post('/api/send', email)).status).toBeLessThan(300);
  const call = await eventually(() => ses.requests.at(-1));
  const delivery = await eventually(() => receiver.received.at(-1));
  const signedAt = String(call.headers['x-amz-date']).replace(/(....)(..)(..T..)(..)(..)/, '$1-$2-$3:$4:$5');
  expect(Math.abs(Date.parse(signedAt) - now())).toBeLessThan(TOLERATED_MS);
  expect(Math.abs(Number(delivery.headers['webhook-timestamp']) * 1_000 - now())).toBeLessThan(TOLERATED_MS);
});
