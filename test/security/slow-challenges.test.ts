import { suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { TestService, type TestClient } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** The clock of the API process, which the tests advance. */
let elapsedMs = 0;
const clock = { now: () => Date.now() + elapsedMs };

let service: TestService;
let client: TestClient;
let receiver: WebhookReceiver;

beforeAll(async () => {
  const environment = { ROLES: 'api', WEBHOOK_VERIFY_OWNERSHIP: 'always', WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' };
  service = await TestService.start({ environment, clock });
});
afterAll(() => service?.stop());
beforeEach(async () => {
  client = await service.organization();
  receiver = await WebhookReceiver.listen();
  echoAfter(() => Promise.resolve());
});
afterEach(() => receiver.stop());

/** Returns challenges, each after some work and almost as late as a webhook may. */
function echoAfter(work: () => Promise<unknown>): void {
  receiver.respond = (response, { body }) => {
    const { data } = JSON.parse(body) as { data: { challenge: string } };
    void work().then(() => {
      elapsedMs += 4_900;
      response.end(data.challenge);
    });
  };
}

const urls = async (): Promise<string[]> => {
  const { body } = await client.get<{ webhooks: { url: string }[] }>('/api/webhooks');
  return body.webhooks.map(({ url }) => url);
};

describe('a webhook whose challenge is returned after its caller has lost the right to make it', () => {
  it('is neither created nor changed with a revoked key', async () => {
    const url = `${receiver.url}/old`;
    const { id: webhook } = (await client.post<{ id: string }>('/api/webhooks', { url })).body;
    for (const [method, path] of [
      ['POST', '/api/webhooks'],
      ['PATCH', `/api/webhooks/${webhook}`],
    ] as const) {
      const { id, key } = (await client.post<{ id: string; key: string }>('/api/keys', {})).body;
      echoAfter(() => client.delete(`/api/keys/${id}`));
      const other = service.client(client.organizationId, key);
      const body = JSON.stringify({ url: `${receiver.url}/new` });
      const response = await other.request(path, { method, headers: { 'content-type': 'application/json' }, body });
      expect(response).toMatchObject({ status: 401, body: { error: 'Invalid or missing API key' } });
    }
    expect(await urls()).toEqual([url]);
  });

  it('is not created for a suspended organization, and the error says why', async () => {
    echoAfter(() => suspendOrganization(service.database, client.organizationId, 'It sends spam'));
    const response = await client.post('/api/webhooks', { url: receiver.url });
    expect(response).toMatchObject({ status: 403, body: { error: 'This organization is suspended: It sends spam' } });
    expect(await service.database.query('select id from webhook_endpoints where url = $1', [receiver.url])).toEqual([]);
  });
});
