import { jest } from '@jest/globals';
import { OwnDeliveryProviders } from '../../src/emails/delivery/organizations/own-delivery-providers.js';
import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';
import { SmtpStub } from '../support/smtp-stub.js';
import { addOwnProvider, verifyWithoutDns } from '../support/stored-provider.js';

let own: SmtpStub;
let service: TestService;

beforeEach(async () => {
  own = await SmtpStub.listen();
  service = await TestService.start({
    environment: {
      ...AWAIT_RESULT,
      WORKER_CONCURRENCY: '1',
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
      // Longer than a send waits for its result.
      DELIVERY_TIMEOUT_MS: '600000',
    },
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await own?.close();
  await service?.stop();
});

function send(client: TestClient, from: string, headers = {}) {
  return client.post('/api/send', { from, to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' }, headers);
}

/** Sends an email of an organization through a provider of its own. */
async function sendThroughOwn(domain: string): Promise<void> {
  const client = await service.organization();
  await verifyWithoutDns(service, client.organizationId, domain);
  await addOwnProvider(service, client.organizationId, { credentials: { url: own.url } });
  await send(client, `ada@${domain}`, { prefer: 'respond-async' });
}

/** The first jobs learn only together that their emails go through providers of their organizations. */
function runTogether(jobs: number): void {
  const { ownersOf } = OwnDeliveryProviders.prototype;
  let begun = 0;
  jest.spyOn(OwnDeliveryProviders.prototype, 'ownersOf').mockImplementation(async function (
    this: OwnDeliveryProviders,
    ids,
  ) {
    begun += 1;
    await eventually(() => begun >= jobs);
    return ownersOf.call(this, ids);
  });
}

it('calls of own providers that hang leave a worker with one call at a time free for other mail', async () => {
  own.scripts.add('*', { phase: 'dot', fault: 'silence' });
  runTogether(2);
  for (const domain of ['a.example', 'b.example']) await sendThroughOwn(domain);
  await eventually(() => own.openConnections === 2);
  const other = await service.organization();
  expect((await send(other, 'ada@c.example')).status).toBe(200);
});
