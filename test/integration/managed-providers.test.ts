import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { verifyWithoutDns } from '../support/stored-provider.js';
import { createProvider } from '../support/own-providers.js';
import { TestService, type TestClient } from '../support/service.js';
import { SmtpStub } from '../support/smtp-stub.js';

let first: SmtpStub;
let second: SmtpStub;
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  [first, second] = await Promise.all([SmtpStub.listen(), SmtpStub.listen()]);
  service = await TestService.start({ environment: { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' } });
  client = await service.organization();
  await verifyWithoutDns(service, client.organizationId, 'acme.example');
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([first?.close(), second?.close()]);
});

/** Sends emails until one arrives there: workers notice a change within seconds. */
async function expectMailAt(server: SmtpStub): Promise<void> {
  const before = server.messages.length;
  await eventually(async () => {
    const email = { to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    const { status } = await client.post<SendResponse>('/api/send', { from: 'ada@acme.example', ...email });
    expect(status).toBeLessThan(300);
    return server.messages.length > before;
  });
}

it('delivers through a provider as soon as it is added, changed or deleted', async () => {
  const credentials = { url: first.url };
  const { body } = await createProvider(client, { name: 'main', type: 'smtp', credentials });
  await expectMailAt(first);
  await client.patch(`/api/providers/${body.id}`, { credentials: { url: second.url } });
  await expectMailAt(second);
  const [atFirst, atService] = [first.messages.length, service.mailServer.messages.length];
  await expectMailAt(second);
  expect([first.messages.length, service.mailServer.messages.length]).toEqual([atFirst, atService]);
  await client.delete(`/api/providers/${body.id}`);
  await expectMailAt(service.mailServer);
});
